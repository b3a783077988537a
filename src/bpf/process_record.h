/* What the BPF programs of the process scanner hand to user space: records of one task each, read from the
 * iterator one after the other, and records of one ended process each, in the ring. Both sides include
 * this; it is the format. */
#ifndef TARE_BPF_PROCESS_RECORD_H
#define TARE_BPF_PROCESS_RECORD_H

#ifdef __bpf__
typedef unsigned char record_u8;
typedef unsigned int record_u32;
typedef int record_s32;
typedef unsigned long long record_u64;
typedef long long record_s64;
#else
#include <stdint.h>
typedef uint8_t record_u8;
typedef uint32_t record_u32;
typedef int32_t record_s32;
typedef uint64_t record_u64;
typedef int64_t record_s64;
#endif

enum { RECORD_COMM = 16, RECORD_PAGES = 4, EXACT_WORDS = 64 };

/* Descriptors in one record, words with a bit for each major, words of HAD_FINDS, and tasks whose run time is kept. */
enum {
	FINDS_A_RECORD = 14,
	MAJOR_WORDS = 64,
	HAD_WORDS = 64,
	LOOKED_TASKS = 1 << 15,
	LOOKED_TABLES = 1 << 12
};

enum task_kind {
	TASK_THREAD = 1,  /* only struct task_part was written */
	TASK_PROCESS = 2, /* the first thread */
	TASK_STAND_IN =
		3, /* a live thread of a process whose first one has ended: memory and files are its */
	TASK_FINDS = 4, /* struct task_finds */
};

/* Pages by kind, as the kernel's enum in include/linux/mm_types_task.h. */
enum record_page { PAGE_FILE, PAGE_ANON, PAGE_SWAP, PAGE_SHMEM };

/* Flags of task_reader.want. */
enum task_want {
	WANT_THREADS = 1 << 0, /* a record for each further thread */
	WANT_FILES = 1 << 1,   /* count open descriptors */
	WANT_EXACT = 1 << 2,   /* sum the per-CPU parts of every process's page counts */
	WANT_FINDS = 1 << 3,   /* look for descriptors of devices of the reader's majors */
};

/* What this kernel does not count: the fields are 0. */
enum task_lacks { LACKS_WAIT = 1 << 0, LACKS_IO_CALLS = 1 << 1, LACKS_IO_DISK = 1 << 2 };

/* task_record.files: more than the program can count on this kernel. */
#define FILES_UNKNOWN 0xffffffffu

/* Of one thread. Times in ns. */
struct task_part {
	record_u8 kind; /* enum task_kind */
	record_u8 policy;
	record_u8 unused[2];
	record_u32 tid, tgid; /* in the reader's pid namespace */
	record_u32 state, exit_state, flags;
	record_s32 priority, nice;
	record_u32 cpu;
	record_u32 exec_id;
	record_u64 start_ns; /* CLOCK_BOOTTIME */
	record_u64 run_ns, user_ns, system_ns, wait_ns;
	record_u64 minor_faults, major_faults, voluntary, involuntary;
	record_u64 io_read, io_written, disk_read, disk_written;
	/* run time of the process's ended threads, read before this thread's */
	record_u64 ended_run_ns;
	char comm[RECORD_COMM];
};

struct task_record {
	struct task_part task;
	record_u32 global_tgid; /* in the first pid namespace */
	record_u32 ppid, threads;
	record_u32 uid, euid, suid, gid, egid, sgid;
	record_u32 files;
	record_u32 dumpable; /* 1: others than root may look into it, uids permitting */
	record_u32 exact;    /* pages[] have their per-CPU parts */
	/* of its ended threads */
	record_u64 user_ns, system_ns, minor_faults, major_faults, voluntary, involuntary;
	record_u64 io_read, io_written, disk_read, disk_written;
	/* of the whole process, as /proc/PID/stat split its run time when it was last read; 0: never */
	record_u64 shown_user_ns, shown_system_ns;
	record_u64 virtual_pages;
	record_s64 pages[RECORD_PAGES];
	record_u64 cgroup_id;
};

/* Descriptors of devices in one table, in front of the record of the task that it was found by. All of the table's,
 * or some of them when `more` follows. n may be 0 of a process that had some before. */
struct task_finds {
	record_u8 kind, n;
	record_u8 more, unused[5]; /* records are multiples of 8 bytes */
	record_u32 tid, tgid; /* in the reader's pid namespace; tid 0: the process's own table */
	record_u32 fd[FINDS_A_RECORD],
		device[FINDS_A_RECORD]; /* the kernel's dev_t: major << 20 | minor */
};

/* A process that is gone, with the totals of all its threads. */
struct exit_event {
	record_u32 pid; /* in the first pid namespace; ppid in the reader's */
	record_u32 ppid, uid, euid;
	record_u64 start_ns; /* CLOCK_BOOTTIME */
	record_u64 run_ns, user_ns, system_ns;
	record_u64 minor_faults, major_faults;
	record_u64 io_read, io_written, disk_read, disk_written;
	record_u64 cgroup_id;
	char comm[RECORD_COMM], parent[RECORD_COMM];
};

/* The programs' global variables; user space writes the first ones before each pass. */
struct task_reader {
	record_u32 want, cpus;
	/* set by the program at the first task of each pass: of the reader's pid namespace the depth and the
	   address; enum task_lacks */
	record_u32 level, lacks;
	record_u64 ns;
	/* a bit for each pid, modulo the bits, whose pages are to be exact */
	record_u64 exact[EXACT_WORDS];
	/* WANT_FINDS: a bit for each major to look for, a number that no earlier pass had, whether every task is to be looked
	 * at, and a bit for each pid, modulo the bits, of processes that had some */
	record_u64 majors[MAJOR_WORDS];
	record_u32 pass, look_anew;
	record_u64 had[HAD_WORDS];
};

struct exit_stats {
	record_u64 runs, run_ns; /* of the exit program itself */
	record_u64 lost,
		lost_run_ns; /* ended processes for which the ring had no room, their CPU time */
};

#endif
