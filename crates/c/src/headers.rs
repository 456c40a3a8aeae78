//! The model headers: small stand-ins for the standard ones, so that no C library's internals reach the
//! parser.

/// Every header, by the name it is included by, with its text.
pub const HEADERS: &[(&str, &str)] = &[
    ("assert.h", include_str!("../headers/assert.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("fencepost.h", include_str!("../headers/fencepost.h")),
    ("fencepost_prelude.h", include_str!("../headers/fencepost_prelude.h")),
    ("fencepost_threads.h", include_str!("../headers/fencepost_threads.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("sched.h", include_str!("../headers/sched.h")),
    ("stdalign.h", include_str!("../headers/stdalign.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdatomic.h", include_str!("../headers/stdatomic.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("stdnoreturn.h", include_str!("../headers/stdnoreturn.h")),
    ("string.h", include_str!("../headers/string.h")),
    ("sys/types.h", include_str!("../headers/sys/types.h")),
    ("threads.h", include_str!("../headers/threads.h")),
    ("time.h", include_str!("../headers/time.h")),
    ("unistd.h", include_str!("../headers/unistd.h")),
];

/// The text of a header, by its name in angle brackets, as line markers have it.
pub fn shipped(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix('<')?.strip_suffix('>')?;
    HEADERS.iter().find(|(header, _)| *header == name).map(|(_, text)| *text)
}
