/* Part of process.bpf.c: descriptors of character devices of a few majors, of tasks that ran since they were last looked
 * at. A task is known by its number; the signature of what it was is kept in a table, where another one that has its
 * place only costs a look. */
#ifndef TARE_BPF_FINDS_H
#define TARE_BPF_FINDS_H

enum {
	MAJOR_SHIFT = 20, /* MINORBITS of include/linux/kdev_t.h */
	FILE_TYPE = 0170000,
	CHARACTER_DEVICE = 0020000,
	FIFO = 0010000,
	SOCKET = 0140000,
	FDS_A_WORD = 64,
	FD_WORDS_MOST = 1 << 14,
	LEARN_WORDS = 4096,
	PLAIN_WORDS = 16, /* 1,024 descriptors of a task, without bpf_loop */
};

/* Of each task the run time at the last look, mixed with its start; 0: never. */
static u64 looked[LOOKED_TASKS];
/* Tables that were looked at in this pass. */
static struct looked_table {
	u64 at;
	u32 pass, unused;
} tables[LOOKED_TABLES];

struct find_state {
	u64 open_fds, fds; /* addresses of the table's arrays */
	u32 words;
	struct seq_file *seq;
};

static struct task_finds finds;
/* The task that was looked at last, and in which pass: when its records did not fit into what the reader takes at once
 * the kernel drops them and calls again. */
static u64 newest_task;
static u32 newest_pass;
/* Pointers of one word's descriptors: too large for the stack. */
static u64 pointers[FDS_A_WORD];

/* A pointer as one whose fields are read by a plain load; what cannot be read is 0. Since Linux 6.2: before that
 * each is read by a call. */
extern void *bpf_rdonly_cast(const void *at, u32 type) __ksym __weak;

static __always_inline bool is_major(u32 device)
{
	u32 major = device >> MAJOR_SHIFT;

	return reader.majors[major / 64 % MAJOR_WORDS] >> major % 64 & 1;
}

/* The device number behind one of the pointers; 0: it is no such device. A function that the kernel checks by itself:
 * inside the loops it would be too much to check. */
__noinline u32 device_at(u32 index)
{
	struct file *f = (void *)pointers[index % FDS_A_WORD];
	struct inode *inode = NULL;
	u16 mode = 0;
	u32 device = 0;

	if (!f || bpf_core_read(&inode, sizeof(inode), &f->f_inode) || !inode ||
		bpf_core_read(&device, sizeof(device), &inode->i_rdev) || !device ||
		!is_major(device) || bpf_core_read(&mode, sizeof(mode), &inode->i_mode) ||
		(mode & FILE_TYPE) != CHARACTER_DEVICE)
		return 0;
	return device;
}

/* The operations of files that are pipes, and of those that are sockets: one of each in a kernel, of no module. By them
 * such a file is known without its inode. 0: not seen yet. */
static u64 fifo_ops, socket_ops;
static u32 learnt_words; /* of how many words the pointers were looked at for that */
/* Stands for the inode of those: its device number is 0. */
static u8 no_inode[1024];

__noinline int know_ops(u32 index)
{
	struct file *f = (void *)pointers[index % FDS_A_WORD];
	struct inode *inode = NULL;
	const struct file_operations *ops = NULL;
	u16 mode = 0;

	if (!f || bpf_core_read(&inode, sizeof(inode), &f->f_inode) ||
		bpf_core_read(&mode, sizeof(mode), &inode->i_mode) ||
		bpf_core_read(&ops, sizeof(ops), &f->f_op))
		return 1;
	if ((mode & FILE_TYPE) == FIFO)
		fifo_ops = (u64)ops;
	if ((mode & FILE_TYPE) == SOCKET)
		socket_ops = (u64)ops;
	return 0;
}

/* Does one of the pointers lead to a device number of the majors? No branch depends on what was read: the lines of
 * 50,000 files are in no cache, and this way a processor waits for several of them at once. */
static __always_inline bool has_major(u64 open)
{
	u32 type = bpf_core_type_id_kernel(struct file);
	u32 inode_type = bpf_core_type_id_kernel(struct inode);
	u64 none = number_of(no_inode), fifo = fifo_ops, socket = socket_ops, has = 0;

	for (u32 i = 0; i < FDS_A_WORD && open >> i; i++) {
		struct file *f = bpf_rdonly_cast((void *)pointers[i], type);
		u64 ops = number_of(f->f_op), at = number_of(f->f_inode);
		u64 plain = -(u64)((ops == fifo) | (ops == socket));
		struct inode *inode = bpf_rdonly_cast(
			(void *)(at ^ ((at ^ none) & plain)), inode_type);

		has |= is_major(inode->i_rdev);
	}
	return has;
}

static __always_inline void write_finds(struct seq_file *seq, u32 n, bool more)
{
	finds.n = (u8)n;
	finds.more = more;
	bpf_seq_write(seq, &finds, sizeof(finds));
}

static __always_inline void keep_find(struct seq_file *seq, u32 fd, u32 device)
{
	u32 n = finds.n;

	if (n >= FINDS_A_RECORD) {
		write_finds(seq, FINDS_A_RECORD, true);
		n = 0;
	}
	finds.fd[n] = fd;
	finds.device[n] = device;
	finds.n = (u8)(n + 1);
}

/* Descriptors of one word of the bitmap. */
static __always_inline long find_in_word(u32 word, struct find_state *s, bool casts)
{
	u64 open = 0;
	u32 size;

	if (word >= s->words ||
		bpf_probe_read_kernel(&open, sizeof(open), (void *)(s->open_fds + word * 8)))
		return 1;
	if (!open)
		return 0;
	/* most have few: half of the lines are then left alone */
	size = open >> FDS_A_WORD / 2 ? sizeof(pointers) : sizeof(pointers) / 2;
	if (bpf_probe_read_kernel(pointers, size, (void *)(s->fds + (u64)word * sizeof(pointers))))
		return 0;
	if (casts && !(fifo_ops && socket_ops) && learnt_words < LEARN_WORDS) {
		learnt_words++;
		for (u32 i = 0; i < FDS_A_WORD && open >> i; i++)
			know_ops(i);
	}
	if (casts && !has_major(open))
		return 0;
	for (u32 i = 0; i < FDS_A_WORD; i++) {
		u32 device;

		if (!(open >> i & 1))
			continue;
		device = device_at(i);
		if (device)
			keep_find(s->seq, word * FDS_A_WORD + i, device);
	}
	return 0;
}

static long find_word(u32 word, struct find_state *s)
{
	return find_in_word(word, s, false);
}

static long find_word_casting(u32 word, struct find_state *s)
{
	return find_in_word(word, s, bpf_rdonly_cast);
}

/* Is this the first look at this table in this pass? */
static __always_inline bool is_first(u64 table)
{
	struct looked_table *t = &tables[table >> 6 & (LOOKED_TABLES - 1)];

	if (t->pass == reader.pass && t->at == table)
		return false;
	t->pass = reader.pass;
	t->at = table;
	return true;
}

static __always_inline bool had_finds(u32 tgid)
{
	u32 bit = tgid % (HAD_WORDS * 64);

	return reader.had[bit / 64] >> bit % 64 & 1;
}

/* Tell of the descriptors of a task whose table may have changed. */
static __always_inline void look_for_devices(struct bpf_iter__task *ctx, struct task_struct *t,
	u32 tid, u32 tgid, bool loops, bool casts)
{
	struct files_struct *files = t->files, *of_process = t->group_leader->files;
	/* before the table: what runs meanwhile is looked at again */
	u64 signature = (t->se.sum_exec_runtime ^ t->start_boottime << 20) | 1;
	u32 at = (u32)t->pid & (LOOKED_TASKS - 1);
	struct fdtable *table;
	struct find_state s = {};

	if (!files)
		return;
	if (newest_task != number_of(t) || newest_pass != reader.pass) {
		/* of one that runs just now the kernel adds its time later */
		if (looked[at] == signature && state_of(t) && !reader.look_anew)
			return;
		/* of a table that was looked at for another task it is not known what this one did since: the next pass
		   looks again */
		if (!is_first(number_of(files)))
			return;
	}
	looked[at] = signature;
	newest_task = number_of(t);
	newest_pass = reader.pass;
	table = files->fdt;
	s.words = table->max_fds / FDS_A_WORD;
	s.open_fds = (u64)table->open_fds;
	s.fds = (u64)table->fd;
	s.seq = ctx->meta->seq;
	finds.kind = TASK_FINDS;
	finds.n = 0;
	finds.tgid = tgid;
	finds.tid = of_process && files != of_process ? tid : 0;
	if (loops && casts)
		bpf_loop(FD_WORDS_MOST, find_word_casting, &s, 0);
	else if (loops)
		bpf_loop(FD_WORDS_MOST, find_word, &s, 0);
	else
		for (u32 word = 0; word < PLAIN_WORDS; word++)
			if (find_word(word, &s))
				break;
	if (finds.n || had_finds(tgid))
		write_finds(s.seq, finds.n, false);
}

#endif
