// A bank whose threads transfer money between accounts: the test and the benchmark of stm.cuh.
//
// The accounts are in branches of equal size. A transfer moves one unit between two accounts of a
// branch, so the total of each branch stays the same. A read-only transaction adds up a branch.
// The bank in which the branches are the whole bank is that of CSMV and PR-STM
// (github.com/DMRNunes/csmv-gpu-stm); see papers/manoochehri.md.

#include "kernel_1024.cuh"
#include "stm.cuh"

// The most accounts in a transaction. src/bank.rs reads the constants.
constexpr u32 CAPACITY = 32;
// The first balance of each account.
constexpr u32 BALANCE = 10;

// The places of `counters`, which has six.
constexpr u32 TAKEN = 0;     // transactions that warps have taken to do
constexpr u32 COMMITTED = 1; // transactions that were done, read-only ones included
constexpr u32 READ_ONLY = 2;
constexpr u32 ABORTED = 3; // attempts that failed because of another thread
constexpr u32 WRONG = 4;   // read-only transactions that saw a wrong total
// Failed attempts of the first thread. It has the highest priority and never fails.
constexpr u32 FIRST_ABORTED = 5;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xFFFFFFFFu;
// Transactions that each lane of a warp does before the warp takes more. So the threads are busy to
// the end, and the counter of taken transactions is changed rarely.
constexpr u32 BATCH = 16;

// SplitMix64.
struct Random {
    u64 state;

    __device__ u32 below(u32 limit) {
        state += 0x9E3779B97F4A7C15ull;
        u64 mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBull;
        return (u32)(((mixed ^ mixed >> 31) >> 32) * limit >> 32);
    }

    // Two different numbers below a limit of at least 2.
    __device__ void pair(u32 limit, u32* from, u32* to) {
        *from = below(limit);
        *to = below(limit - 1);
        if (*to >= *from) ++*to;
    }
};

// What a thread has done.
struct Tally {
    u32 committed, read_only, aborted, wrong;
};

// Transfers in transactions.
struct InTransactions {
    Transaction<CAPACITY> transaction;

    __device__ InTransactions(Tracked* accounts)
        : transaction(accounts, (u32)first_index(), CAPACITY) {}

    // Makes transfers in one transaction. Every attempt makes the same ones.
    __device__ void transfer(u32 first, u32 branch, u32 transfers, Random& random, Tally& tally) {
        Random start = random;
        for (;; tally.aborted++, transaction.wait_for_winner()) {
            random = start;
            transaction.begin();
            bool open = true;
            for (u32 i = 0; i < transfers && open; i++) {
                u32 from, to;
                random.pair(branch, &from, &to);
                open = add(first + from, -1u) && add(first + to, 1);
            }
            if (open && transaction.commit()) return;
        }
    }

    // The total of a branch.
    __device__ u32 total(u32 first, u32 branch, Tally& tally) {
        for (;; tally.aborted++, transaction.wait_for_winner()) {
            transaction.begin();
            u32 sum = 0, slot;
            bool open = true;
            for (u32 i = 0; i < branch && open; i++) {
                open = transaction.open(first + i, &slot) == Access::DONE;
                if (open) sum += transaction.values[slot];
            }
            if (open && transaction.commit()) return sum;
        }
    }

private:
    __device__ bool add(u32 account, u32 amount) {
        u32 slot;
        if (transaction.open(account, &slot) != Access::DONE) return false;
        transaction.write(slot, transaction.values[slot] + amount);
        return true;
    }
};

// Transfers by two atomic additions each. A reader can see one without the other.
struct ByAtomics {
    Tracked* accounts;

    __device__ ByAtomics(Tracked* accounts) : accounts(accounts) {}

    __device__ void transfer(u32 first, u32 branch, u32 transfers, Random& random, Tally&) {
        for (u32 i = 0; i < transfers; i++) {
            u32 from, to;
            random.pair(branch, &from, &to);
            atomicAdd(&accounts[first + from].value, -1u);
            atomicAdd(&accounts[first + to].value, 1);
        }
    }

    __device__ u32 total(u32 first, u32 branch, Tally&) {
        u32 sum = 0;
        for (u32 i = 0; i < branch; i++) sum += load(&accounts[first + i].value);
        return sum;
    }
};

KERNEL open_accounts(Tracked* accounts, u32 count) {
    u64 account = first_index();
    if (account < count) accounts[account] = Tracked{LOWEST, BALANCE};
}

// Does at least the given number of transactions. As in CSMV's bank, the transactions that the
// lanes of a warp do together are all read-only, or none is.
template <typename Method>
__device__ void run_bank(Method method, u32 branches, u32 branch, u32 read_percent, u32 transfers,
                         u64 transactions, u64 seed, u64* counters) {
    u32 lane = threadIdx.x % WARP;
    Random own = {seed + first_index() * 0xD1B54A32D192ED03ull};
    Random of_warp = {seed + first_index() / WARP + 1};
    Tally tally = {0, 0, 0, 0};
    for (;;) {
        u64 taken = 0;
        if (lane == 0) taken = atomicAdd(&counters[TAKEN], (u64)(WARP * BATCH));
        if (__shfl_sync(ALL_LANES, taken, 0) >= transactions) break;
        for (u32 i = 0; i < BATCH; i++) {
            u32 first = own.below(branches) * branch;
            if (of_warp.below(100) < read_percent) {
                tally.wrong += method.total(first, branch, tally) != branch * BALANCE;
                tally.read_only++;
            } else {
                method.transfer(first, branch, transfers, own, tally);
            }
            tally.committed++;
            __syncwarp(); // the lanes begin the next transaction together
        }
    }
    if (first_index() == 0) counters[FIRST_ABORTED] = tally.aborted;
    u32 numbers[] = {tally.committed, tally.read_only, tally.aborted, tally.wrong};
    u32 places[] = {COMMITTED, READ_ONLY, ABORTED, WRONG};
    for (u32 i = 0; i < 4; i++) {
        u32 sum = __reduce_add_sync(ALL_LANES, numbers[i]);
        if (lane == 0) atomicAdd(&counters[places[i]], (u64)sum);
    }
}

// One block of any size fits on a multiprocessor. If more had to fit, registers would spill.
KERNEL __launch_bounds__(1024, 1)
    bank_in_transactions(Tracked* accounts, u32 branches, u32 branch, u32 read_percent,
                         u32 transfers, u64 transactions, u64 seed, u64* counters) {
    run_bank(InTransactions(accounts), branches, branch, read_percent, transfers, transactions,
             seed, counters);
}

KERNEL_1024 bank_by_atomics(Tracked* accounts, u32 branches, u32 branch, u32 read_percent,
                            u32 transfers, u64 transactions, u64 seed, u64* counters) {
    run_bank(ByAtomics(accounts), branches, branch, read_percent, transfers, transactions, seed,
             counters);
}
