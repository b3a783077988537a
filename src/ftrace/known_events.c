/* Events for which Perfetto has a message of its own: number of the field in FtraceEvent and, for each field that the
 * kernel's event may have under the same name, the field's number and type in that message: i int32 or int64, u uint32,
 * U uint64, s string. From protos/perfetto/trace/ftrace of Perfetto v58. */
#include "ftrace/known_events.h"

#include <string.h>

static const struct known_event all[] = {
	{"sched", "sched_switch", 4,
		"prev_comm:1s prev_pid:2i prev_prio:3i prev_state:4i next_comm:5s next_pid:6i "
		"next_prio:7i"},
	{"sched", "sched_waking", 20, "comm:1s pid:2i prio:3i success:4i target_cpu:5i"},
	{"sched", "sched_wakeup", 17, "comm:1s pid:2i prio:3i success:4i target_cpu:5i"},
	{"sched", "sched_wakeup_new", 114, "comm:1s pid:2i prio:3i success:4i target_cpu:5i"},
	{"sched", "sched_migrate_task", 491,
		"comm:1s pid:2i prio:3i orig_cpu:4i dest_cpu:5i running:6i load:7u"},
	{"sched", "sched_process_exec", 237, "filename:1s pid:2i old_pid:3i"},
	{"sched", "sched_process_exit", 238, "comm:1s pid:2i tgid:3i prio:4i"},
	{"sched", "sched_process_fork", 239,
		"parent_comm:1s parent_pid:2i child_comm:3s child_pid:4i"},
	{"sched", "sched_process_free", 240, "comm:1s pid:2i prio:3i"},
	{"sched", "sched_process_wait", 242, "comm:1s pid:2i prio:3i"},
	{"sched", "sched_blocked_reason", 18, "pid:1i caller:2U io_wait:3u"},
	{"sched", "sched_pi_setprio", 353, "comm:1s newprio:2i oldprio:3i pid:4i"},
	{"task", "task_newtask", 235, "pid:1i comm:2s clone_flags:3U oom_score_adj:4i"},
	{"task", "task_rename", 236, "pid:1i oldcomm:2s newcomm:3s oom_score_adj:4i"},
	{"ftrace", "print", 3, "ip:1U buf:2s"},
	{"power", "cpu_frequency", 11, "state:1u cpu_id:2u"},
	{"power", "cpu_frequency_limits", 12, "min_freq:1u max_freq:2u cpu_id:3u"},
	{"power", "cpu_idle", 13, "state:1u cpu_id:2u"},
	{"power", "suspend_resume", 113, "action:1s val:2i start:3u"},
	{"power", "clock_set_rate", 16, "name:1s state:2U cpu_id:3U"},
	{"power", "gpu_frequency", 332, "gpu_id:1u state:2u"},
	{"power", "wakeup_source_activate", 404, "name:1s state:2U"},
	{"power", "wakeup_source_deactivate", 405, "name:1s state:2U"},
	{"irq", "irq_handler_entry", 36, "irq:1i name:2s handler:3u"},
	{"irq", "irq_handler_exit", 37, "irq:1i ret:2i"},
	{"irq", "softirq_entry", 24, "vec:1u"},
	{"irq", "softirq_exit", 25, "vec:1u"},
	{"irq", "softirq_raise", 26, "vec:1u"},
	{"raw_syscalls", "sys_enter", 329, "id:1i args:2U"},
	{"raw_syscalls", "sys_exit", 330, "id:1i ret:2i"},
	{"workqueue", "workqueue_queue_work", 59,
		"work:1U function:2U req_cpu:4i cpu:5i workqueue:6s"},
	{"workqueue", "workqueue_activate_work", 56, "work:1U function:2U"},
	{"workqueue", "workqueue_execute_start", 58, "work:1U function:2U"},
	{"workqueue", "workqueue_execute_end", 57, "work:1U function:2U"},
	{"kmem", "rss_stat", 313, "member:1i size:2i curr:3u mm_id:4u"},
	{"kmem", "mm_page_alloc", 307, "gfp_flags:1u migratetype:2i order:3u page:4U pfn:5U"},
	{"kmem", "mm_page_free", 310, "order:1u page:2U pfn:3U"},
	{"kmem", "kmalloc", 299, "bytes_alloc:1U bytes_req:2U call_site:3U gfp_flags:4u ptr:5U"},
	{"kmem", "kfree", 298, "call_site:1U ptr:2U"},
	{"oom", "oom_score_adj_update", 326, "comm:1s oom_score_adj:2i pid:3i"},
	{"oom", "mark_victim", 334, "pid:1i"},
	{"signal", "signal_generate", 325, "code:1i comm:2s group:3i pid:4i result:5i sig:6i"},
	{"signal", "signal_deliver", 324, "code:1i sa_flags:2U sig:3i"},
	{"block", "block_rq_issue", 45,
		"dev:1U sector:2U nr_sector:3u bytes:4u rwbs:5s comm:6s cmd:7s"},
	{"block", "block_rq_complete", 125,
		"dev:1U sector:2U nr_sector:3u errors:4i rwbs:5s cmd:6s error:7i"},
	{"block", "block_rq_insert", 126,
		"dev:1U sector:2U nr_sector:3u bytes:4u rwbs:5s comm:6s cmd:7s"},
	{"block", "block_bio_queue", 119, "dev:1U sector:2U nr_sector:3u rwbs:4s comm:5s"},
	{"timer", "hrtimer_start", 551, "hrtimer:1U function:2U expires:3i softexpires:4i mode:5u"},
	{"timer", "hrtimer_expire_entry", 553, "hrtimer:1U now:2i function:3U"},
	{"timer", "hrtimer_expire_exit", 554, "hrtimer:1U"},
	{"timer", "timer_start", 555,
		"timer:1U function:2U expires:3U now:4U deferrable:5u flags:6u bucket_expiry:7U"},
	{"timer", "timer_expire_entry", 557, "timer:1U now:2U function:3U baseclk:4U"},
	{"timer", "timer_expire_exit", 558, "timer:1U"},
	{"ipi", "ipi_raise", 23, "target_cpus:1u reason:2s"},
	{"ipi", "ipi_entry", 21, "reason:1s"},
	{"ipi", "ipi_exit", 22, "reason:1s"},
	{"ext4", "ext4_sync_file_enter", 43, "dev:1U ino:2U parent:3U datasync:4i"},
	{"ext4", "ext4_sync_file_exit", 44, "dev:1U ino:2U ret:3i"},
	{"vmscan", "mm_vmscan_direct_reclaim_begin", 46, "order:1i may_writepage:2i gfp_flags:3u"},
	{"vmscan", "mm_vmscan_direct_reclaim_end", 47, "nr_reclaimed:1U"},
	{"vmscan", "mm_vmscan_kswapd_wake", 48, "nid:1i order:2i zid:3i"},
	{"vmscan", "mm_vmscan_kswapd_sleep", 49, "nid:1i"},
	{"filemap", "mm_filemap_add_to_page_cache", 97,
		"pfn:1U i_ino:2U index:3U s_dev:4U page:5U"},
	{"filemap", "mm_filemap_delete_from_page_cache", 98,
		"pfn:1U i_ino:2U index:3U s_dev:4U page:5U"},
	{"gpu_mem", "gpu_mem_total", 340, "gpu_id:1u pid:2u size:3U"},
	{"dma_fence", "dma_fence_signaled", 416, "context:1u driver:2s seqno:3u timeline:4s"},
	{"dma_fence", "dma_fence_init", 414, "context:1u driver:2s seqno:3u timeline:4s"},
	{"cgroup", "cgroup_attach_task", 67,
		"dst_root:1i dst_id:2i pid:3i comm:4s cname:5s dst_level:6i dst_path:7s"},
	{"net", "net_dev_xmit", 361, "len:1u name:2s rc:3i skbaddr:4U"},
	{"net", "netif_receive_skb", 360, "len:1u name:2s skbaddr:3U"},
	{"sock", "inet_sock_set_state", 362,
		"daddr:1u dport:2u family:3u newstate:4i oldstate:5i protocol:6u saddr:7u "
		"skaddr:8U sport:9u"},
	{"tcp", "tcp_retransmit_skb", 363,
		"daddr:1u dport:2u saddr:3u skaddr:4U skbaddr:5U sport:6u state:7i"},
	{"skb", "kfree_skb", 367, "location:1U protocol:2u skbaddr:3U"},
	{"thermal", "thermal_temperature", 341, "id:1i temp:2i temp_prev:3i thermal_zone:4s"},
	{"thermal", "cdev_update", 342, "target:1U type:2s"},
	{"cpuhp", "cpuhp_enter", 345, "cpu:1u fun:2U idx:3i target:4i"},
	{"cpuhp", "cpuhp_exit", 343, "cpu:1u idx:2i ret:3i state:4i"},
	{"ftrace", "funcgraph_entry", 437, "depth:1i func:2U"},
	{"ftrace", "funcgraph_exit", 438, "calltime:1U depth:2i func:3U overrun:4U rettime:5U"},
};

const struct known_event *known_event(const char *group, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(all[i].name, name) && !strcmp(all[i].group, group))
			return &all[i];
	return NULL;
}

u32 known_field(const struct known_event *event, const char *name, char *type)
{
	size_t len = strlen(name);

	for (const char *at = event->fields; *at;) {
		const char *colon = strchr(at, ':'), *end = strchr(at, ' ');
		u32 number = 0;

		if ((size_t)(colon - at) == len && !memcmp(at, name, len)) {
			for (colon++; *colon >= '0' && *colon <= '9'; colon++)
				number = number * 10 + (u32)(*colon - '0');
			*type = *colon;
			return number;
		}
		if (!end)
			break;
		at = end + 1;
	}
	return 0;
}
