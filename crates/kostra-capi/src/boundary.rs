//! What every function does at the boundary to C: it catches panics and refused memory, checks
//! pointers, and keeps the text of the last error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kostra_core::ReservingAllocator;

/// Refused memory is an error of a function, and does not end the program.
#[global_allocator]
static MEMORY: ReservingAllocator = ReservingAllocator::new();

thread_local! {
    /// The reason why a function last failed on this thread.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// One sentence that says why a function last failed on this thread, in UTF-8. It is empty if no
/// function has failed. The text is valid until the next failure on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn kostra_last_error() -> *const c_char {
    let text = LAST_ERROR.try_with(|last| last.borrow().as_ptr());
    // The text of an ending thread is gone.
    text.unwrap_or(c"".as_ptr())
}

/// Runs the body of a function. If it fails or panics, keeps the reason, and returns `failed`.
pub(crate) fn call<T>(failed: T, body: impl FnOnce() -> Result<T, String>) -> T {
    MEMORY.renew();
    // What a panic leaves half done is not used again: the body owns or only reads its values.
    let reason = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(reason)) => reason,
        Err(panic) => format!("Kostra has a fault, please report it: {}", message(&*panic)),
    };
    let text = CString::new(reason.replace('\0', " ")).unwrap_or_default();
    // An ending thread has no place for the text any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
    failed
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// The text of an error.
pub(crate) fn text(error: impl Display) -> String {
    error.to_string()
}

fn null(name: &str) -> String {
    format!("{name} is NULL; pass a pointer to a value")
}

/// The value behind a pointer of the caller.
///
/// # Safety
/// `pointer` is null or points to a valid value that nobody changes during the call.
pub(crate) unsafe fn value<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, String> {
    // SAFETY: the caller's.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The place for a result behind a pointer of the caller.
///
/// # Safety
/// `pointer` is null or points to memory for a `T` that nobody else uses during the call.
pub(crate) unsafe fn place<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, String> {
    // SAFETY: the caller's.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// Refuses a pointer that cannot be an array of `length` items.
fn check_array<T>(name: &str, pointer: *const T, length: usize) -> Result<(), String> {
    if pointer.is_null() {
        return Err(format!("{name} is NULL; pass an array of {length} items"));
    }
    if !pointer.is_aligned() {
        return Err(format!("{name} is not aligned to {} bytes", align_of::<T>()));
    }
    if length > isize::MAX as usize / size_of::<T>() {
        return Err(format!("{name} cannot have {length} items; no memory is that large"));
    }
    Ok(())
}

/// The array behind a pointer of the caller. An array without items may be null.
///
/// # Safety
/// If `length` is not zero, `pointer` is null or points to `length` items that nobody changes
/// during the call.
pub(crate) unsafe fn array<'a, T>(
    name: &str,
    pointer: *const T,
    length: usize,
) -> Result<&'a [T], String> {
    if length == 0 {
        return Ok(&[]);
    }
    check_array(name, pointer, length)?;
    // SAFETY: the pointer is aligned and not null, and the caller promises the items.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// As [`array`], for an array that the function writes.
///
/// # Safety
/// As for [`array`]; nobody else uses the items during the call.
pub(crate) unsafe fn array_to_write<'a, T>(
    name: &str,
    pointer: *mut T,
    length: usize,
) -> Result<&'a mut [T], String> {
    if length == 0 {
        return Ok(&mut []);
    }
    check_array(name, pointer, length)?;
    // SAFETY: the pointer is aligned and not null, and the caller promises the items.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}

/// The text behind a pointer of the caller, or `None` for null.
///
/// # Safety
/// `pointer` is null or points to a text that ends in a zero byte, which nobody changes during the
/// call.
pub(crate) unsafe fn string<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller's.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// The texts behind an array of the caller that ends in a null pointer; none if it is null.
///
/// # Safety
/// `pointer` is null or points to pointers up to a null pointer. Each points to a text that ends
/// in a zero byte. Nobody changes them during the call.
pub(crate) unsafe fn strings<'a>(pointer: *const *const c_char) -> Vec<&'a CStr> {
    if pointer.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller promises the items up to the null pointer, behind which none is read.
    (0..).map_while(|item| unsafe { string(*pointer.add(item)) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the pointer is to a text with a zero byte.
        unsafe { CStr::from_ptr(kostra_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_an_error_of_its_thread() {
        assert_eq!(last(), "");
        assert_eq!(call(-1, || panic!("seven\0 is odd")), -1);
        assert_eq!(last(), "Kostra has a fault, please report it: seven  is odd");
        assert_eq!(call(-1, || Ok(1)), 1, "a success keeps the text");
        assert!(last().ends_with("odd"));
        assert_eq!(std::thread::spawn(last).join().unwrap(), "");
    }

    #[test]
    fn pointers_that_cannot_be_arrays_are_refused() {
        let items = [1_u32, 2];
        let odd = items.as_ptr().wrapping_byte_add(1);
        // SAFETY: the refused pointers are not read.
        unsafe {
            assert_eq!(array("u", items.as_ptr(), 2), Ok(&items[..]));
            assert_eq!(array::<u32>("u", std::ptr::null(), 0), Ok(&[][..]));
            assert!(array::<u32>("u", std::ptr::null(), 2).unwrap_err().contains("u is NULL"));
            assert!(array("u", odd, 1).unwrap_err().contains("aligned"));
            assert!(array("u", items.as_ptr(), usize::MAX).unwrap_err().contains("no memory"));
        }
    }
}
