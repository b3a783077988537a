/* The few kernel types that the programs look into, each with the members that are read and nothing else:
 * their places are found when the programs are loaded, from the running kernel's own BTF. */
#ifndef TARE_BPF_KERNEL_TYPES_H
#define TARE_BPF_KERNEL_TYPES_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __u16;
typedef u8 __u8;
typedef short __s16;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
typedef _Bool bool;

enum { false, true };

#define KERNEL_TYPES_BEGIN \
	_Pragma("clang attribute push(__attribute__((preserve_access_index)), apply_to = record)")
#define KERNEL_TYPES_END _Pragma("clang attribute pop")

enum bpf_map_type { BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_RINGBUF = 27 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2, BPF_RB_AVAIL_DATA = 0 };
enum bpf_func_id { BPF_FUNC_loop = 181 };
enum pid_type { PIDTYPE_PID, PIDTYPE_TGID };

KERNEL_TYPES_BEGIN

struct list_head {
	struct list_head *next, *prev;
};

struct pid_namespace;

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct sched_entity {
	u64 sum_exec_runtime;
};

struct sched_info {
	unsigned long long run_delay;
};

struct task_io_accounting {
	u64 rchar, wchar, read_bytes, write_bytes;
};

typedef struct {
	u32 val;
} kuid_t;

typedef struct {
	u32 val;
} kgid_t;

struct cred {
	kuid_t uid, euid, suid;
	kgid_t gid, egid, sgid;
};

/* since 6.2; before, mm_rss_stat___before_6_2 */
struct percpu_counter {
	s64 count;
	s32 *counters;
};

struct mm_struct {
	unsigned long total_vm;
	struct percpu_counter rss_stat[4];
};

struct counter___before_6_2 {
	s64 counter;
};

struct mm_rss_stat___before_6_2 {
	struct counter___before_6_2 count[4];
};

struct mm_struct___before_6_2 {
	struct mm_rss_stat___before_6_2 rss_stat;
};

/* a word until 6.17, then an array of them */
struct mm_struct___word_flags {
	unsigned long flags;
};

struct mm_flags___array {
	unsigned long __mm_flags[1];
};

struct mm_struct___array_flags {
	struct mm_flags___array flags;
};

/* An inode's number of the device that it stands for; kernel: dev_t and umode_t. */
struct inode {
	unsigned short i_mode;
	u32 i_rdev;
};

struct file {
	const struct file_operations *f_op;
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *open_fds;
};

struct files_struct {
	struct fdtable *fdt;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct prev_cputime {
	u64 utime, stime;
};

struct signal_struct {
	int nr_threads;
	struct pid *pids[4];
	u64 utime, stime;
	struct prev_cputime prev_cputime;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct task_io_accounting ioac;
	unsigned long long sum_sched_runtime;
};

struct thread_info {
	u32 cpu;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int prio, static_prio;
	struct sched_entity se;
	unsigned int policy;
	struct sched_info sched_info;
	struct mm_struct *mm;
	int exit_state;
	int pid, tgid;
	struct task_struct *real_parent, *group_leader;
	struct pid *thread_pid;
	u64 utime, stime;
	unsigned long nvcsw, nivcsw;
	u64 start_boottime;
	unsigned long min_flt, maj_flt;
	const struct cred *cred, *real_cred;
	char comm[16];
	struct files_struct *files;
	struct signal_struct *signal;
	struct task_io_accounting ioac;
	struct css_set *cgroups;
	u64 self_exec_id;
};

/* state until 5.13 */
struct task_struct___before_5_14 {
	long state;
};

/* the CPU's number stood in the task itself on x86 until 5.15 */
struct task_struct___own_cpu {
	unsigned int cpu;
};

struct bpf_array {
	void *pptrs[1];
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

KERNEL_TYPES_END

#endif
