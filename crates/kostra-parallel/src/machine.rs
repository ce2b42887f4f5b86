//! Facts about the machine.
#![allow(unsafe_code, reason = "the limit of the address space is read by a system call")]

/// The value in bytes of a field of `/proc/meminfo`, such as `"MemAvailable"`; none on systems
/// without that file or field.
pub fn memory_info(field: &str) -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?, field)
}

/// The bytes of memory that this process can still take: those that the machine has left, or its
/// control group; none where the system does not tell.
pub fn available_memory() -> Option<u64> {
    // A container sees its own group as the root, in the second version of groups or the first.
    const GROUPS: [[&str; 2]; 2] = [
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"],
        [
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ],
    ];
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |[limit, used]: [&str; 2]| Some(number(limit)?.saturating_sub(number(used)?));
    GROUPS.into_iter().filter_map(left).chain(memory_info("MemAvailable")).min()
}

/// The bytes of address space that this process may still map; none where it is not limited
/// (`ulimit -v`), or where the system does not tell.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn address_space_left() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes to `limit` alone.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if result != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.rlim_cur.saturating_sub(parse(&status, "VmSize")?))
}

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) fn address_space_left() -> Option<u64> {
    None
}

fn parse(table: &str, field: &str) -> Option<u64> {
    let mut values = table.lines().filter_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kibibytes: u64 = values.next()?.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let table = "MemTotal:       24689380 kB\nMemFree:  17 kB\nHugePages_Total:       0\n";
        assert_eq!(parse(table, "MemFree"), Some(17 * 1024));
        assert_eq!(parse(table, "MemTotal"), Some(24_689_380 * 1024));
        for field in ["Mem", "MemAvailable", "HugePages_Total"] {
            assert_eq!(parse(table, field), None);
        }
    }
}
