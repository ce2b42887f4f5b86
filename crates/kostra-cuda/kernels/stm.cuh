// A software transactional memory whose conflicts are decided by priorities.
//
// Source: Manoochehri 2017, section 3.1.2 and Algorithm 3.3. The functions have the source's names.
// A value has a tracking entry: a lock bit, and below it the priority of the thread that has marked
// the value. The number of a thread in the grid is its priority; the lowest number has the highest
// priority. A transaction marks each value before it reads it, and keeps what it writes to itself.
// To commit, it validates and locks its marks, stores its values, and resets the entries. A
// transaction takes a mark away from one of lower priority. A transaction that has lost a mark, or
// needs one of higher priority, rolls back: it resets its entries, and the caller starts it again.
//
// Use: call begin; open each place, and read or write its value in the slot; then commit. After
// CONFLICT, or a commit that returns false, call wait_for_winner and begin again. All transactions
// on an array belong to one launch of a kernel. Before and after the launch all entries are LOWEST.
//
// Serializable: an entry changes only by an atomic operation that names its old value, or by the
// thread that has locked it. Only the marker of a place can lock it, and it marks a place once in
// an attempt. So a mark that is still there at the time of the lock was there all the time, nobody
// else has stored to the place since it was read, and nobody else will before it is unlocked.
//
// A doomed transaction, which has lost a mark and has not noticed it, may see values of different
// commits. Each value that it sees was committed. The caller must not loop for ever because of such
// values; a transaction ends after `limit` places at the latest.
//
// Progress: there is no deadlock and no livelock, and if each thread has a finite number of
// transactions, all of them commit. Proof:
// A transaction waits in two places. In `mark` it waits for one that has locked the place. That one
// never waits while it has locks, and resets them after at most 3 * limit operations. In
// `wait_for_winner` it waits without marks or locks. So no cycle of waiting exists.
// Suppose that from some time on no transaction commits. Order the running transactions by
// priority. The first one never rolls back, because nobody takes its marks or gets its locks. Any
// other one rolls back only because of a mark of a higher one, and begins its next attempt only
// after the higher one has reset that entry. In one attempt the higher one resets at most `limit`
// entries, once each. So by induction each transaction makes a finite number of attempts. After the
// last attempt no entry changes any more, and no lock is held. Then the first transaction gets each
// of its marks and locks, and commits: a contradiction. A caller that rolls back for reasons of its
// own must do so a finite number of times.
// The source rolls back at a locked entry, too, and starts again at once. Then two transactions can
// abort each other without end: the lower one because it has lost a mark, the higher one because it
// meets a lock of the lower one.
//
// Scheduling: a thread may wait for another thread of its warp. That needs independent thread
// scheduling, which every supported device has: a lane that waits does not stop the other lanes. It
// waits only for threads that have set an entry, so they are resident and run.

#pragma once

#include "common.cuh"

enum : u32 {
    // The lock of an entry.
    LOCK_BIT = 0x80000000u,
    // The priority of an entry that nobody has marked. All priorities are below it.
    LOWEST = 0x7FFFFFFFu,
};

// A value and its tracking entry.
struct alignas(8) Tracked {
    u32 entry;
    u32 value;
};

// What became of an access.
enum class Access : u32 {
    DONE,
    // A transaction of higher priority has the place. This one has been rolled back.
    CONFLICT,
    // The transaction has no room for another place. The caller may commit it or roll it back.
    FULL,
};

// Orders the accesses of this thread before it before those after it, as other threads of the
// device see them. An acquire-release fence is enough, because no step relies on a store being seen
// before a later load of another word.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

__device__ __forceinline__ void store(u32* word, u32 value) { *(volatile u32*)word = value; }

// Sleeps, and returns the time for the next sleep. Sleeping leaves the memory to the transaction
// that everybody waits for.
__device__ __forceinline__ u32 sleep(u32 nanoseconds) {
    // With some ten thousand warps waiting for one entry, one of them still looks every few
    // nanoseconds.
    constexpr u32 MOST = 1 << 15;
    __nanosleep(nanoseconds);
    return nanoseconds < MOST ? 2 * nanoseconds : MOST;
}

// The first sleep: less than an atomic operation takes.
constexpr u32 SHORTEST_SLEEP = 64;

// A transaction of at most CAPACITY places.
template <u32 CAPACITY>
struct Transaction {
    static_assert(CAPACITY <= 32, "the set of written slots is a word");

    Tracked* memory;
    u32 priority;
    // The most places of this transaction, at most CAPACITY.
    u32 limit;
    // The number of places. Their slots are numbered in the order in which they were opened.
    u32 size;
    // The slots that were written, as bits.
    u32 written;
    // The place at which this transaction was last beaten.
    u32 lost;
    u32 places[CAPACITY];
    u32 values[CAPACITY];

    __device__ Transaction(Tracked* memory, u32 priority, u32 limit)
        : memory(memory), priority(priority), limit(limit), size(0), written(0), lost(NONE) {}

    __device__ void begin() { size = written = 0; }

    // Finds the slot of a place. If the transaction has none yet, marks the place and reads it.
    __device__ Access open(u32 place, u32* slot) {
        for (u32 i = 0; i < size; i++) {
            if (places[i] == place) {
                *slot = i;
                return Access::DONE;
            }
        }
        if (size == limit) return Access::FULL;
        if (!mark(place)) {
            rollback();
            return Access::CONFLICT;
        }
        places[size] = place;
        values[size] = load(&memory[place].value);
        *slot = size++;
        return Access::DONE;
    }

    __device__ void write(u32 slot, u32 value) {
        values[slot] = value;
        written |= 1u << slot;
    }

    // Makes all written values visible at once and returns true, or rolls back.
    __device__ bool commit() {
        if (written == 0) {
            bool valid = validate();
            rollback(); // resets the entries; there is nothing to undo
            return valid;
        }
        u32 locks = acquire_locks();
        if (locks != all_slots()) {
            rollback(locks);
            return false;
        }
        // No fence separates the locks from the stores. A store happens only if all locks were
        // granted. Until this thread unlocks, no other one can mark these places, and one that had
        // marked them before cannot commit any more.
        for (u32 i = 0; i < size; i++) {
            if (written >> i & 1) store(&memory[places[i]].value, values[i]);
        }
        // Release: whoever reads the entries below as unlocked also reads the values above. The
        // source has its __threadfence here.
        fence();
        for (u32 i = 0; i < size; i++) store(&memory[places[i]].entry, LOWEST);
        return true;
    }

    // Resets all entries that are still this transaction's.
    __device__ void rollback() { rollback(0); }

    // After a conflict: waits until no transaction of higher priority has the lost place.
    __device__ void wait_for_winner() {
        u32* entry = &memory[lost].entry;
        for (u32 time = SHORTEST_SLEEP; (load(entry) & LOWEST) < priority;) time = sleep(time);
    }

private:
    // Algorithm 3.3. Claims the entry of a place from nobody, or from a lower priority. Waits while
    // a lower priority has it locked.
    __device__ bool mark(u32 place) {
        u32* entry = &memory[place].entry;
        u32 expected = LOWEST, time = SHORTEST_SLEEP;
        for (;;) {
            u32 found = atomicCAS(entry, expected, priority);
            if (found == expected) break;
#ifdef PLANTED_ROLLBACK_AT_LOCKS // the source's rule; a test of the bank shows its fault
            if (found & LOCK_BIT) {
                lost = place;
                return false;
            }
#endif
            while (found & LOCK_BIT && (found & LOWEST) > priority) {
                time = sleep(time);
                found = load(entry);
            }
            if ((found & LOWEST) < priority) {
                lost = place;
                return false;
            }
            expected = found;
        }
        // Acquire: the value is read after the mark, and is at least as new as the last commit that
        // reset the entry. Between that commit and this mark the entry was changed by atomic
        // operations only, so the commit's fence still pairs with this one.
        fence();
        return true;
    }

    // Whether all marks are still this transaction's: then all values were current at one time.
    __device__ bool validate() {
        // The values were read before the entries are read again. If a value is that of a later
        // commit, the entry shows the mark of that commit or a newer one.
        fence();
        for (u32 i = 0; i < size; i++) {
            if (load(&memory[places[i]].entry) == priority) continue;
            lost = places[i];
            return false;
        }
        return true;
    }

    // Locks all places whose marks are still this transaction's, and returns their slots as bits.
    // One compare-and-swap validates and locks. It does not stop at the first failure, so that the
    // operations overlap.
    __device__ u32 acquire_locks() {
        u32 locks = 0;
        for (u32 i = 0; i < size; i++) {
            u32 locked = priority | LOCK_BIT;
#ifdef PLANTED_LOCKS_WITHOUT_MARKS // a test of the bank shows that money is lost
            atomicExch(&memory[places[i]].entry, locked);
            locks |= 1u << i;
            continue;
#endif
            if (atomicCAS(&memory[places[i]].entry, priority, locked) == priority) {
                locks |= 1u << i;
            } else {
                lost = places[i];
            }
        }
        return locks;
    }

    // Resets the entries of all marks and of the given locks. Atomic operations, unlike stores,
    // leave the entry in the chain that began with the last commit, so no fence is needed.
    __device__ void rollback(u32 locks) {
        for (u32 i = 0; i < size; i++) {
            u32 own = locks >> i & 1 ? priority | LOCK_BIT : priority;
            atomicCAS(&memory[places[i]].entry, own, LOWEST);
        }
        size = written = 0;
    }

    __device__ u32 all_slots() const { return NONE >> (32 - size); }
};
