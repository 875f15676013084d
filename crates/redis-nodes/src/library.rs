//! A library of functions, as Redis loads it: [`FunctionLibrary`].

use twox_hash::XxHash3_64;

/// The placeholder of the digest in the source.
const DIGEST: &str = "@DIGEST@";

/// Lua that Redis runs as functions.
///
/// The library and each of its functions are named by a digest of the source, so that versions
/// exist side by side: an older server never replaces functions that a newer one calls, nor vice
/// versa.
///
/// The source registers each function as `NAME_FUNCTION_@DIGEST@`, where `NAME` is the name of the
/// library.
#[derive(Debug)]
pub struct FunctionLibrary {
    name: &'static str,
    source: String,
    digest: String,
}

impl FunctionLibrary {
    /// Creates the library of this name from these pieces of Lua.
    #[must_use]
    pub fn new(name: &'static str, parts: &[&str]) -> Self {
        let body = parts.concat();
        let digest = XxHash3_64::oneshot(body.as_bytes());
        let digest = format!("{:08x}", digest >> 32);
        let body = body.replace(DIGEST, &digest);
        Self {
            name,
            source: format!("#!lua name={name}_{digest}\n{body}"),
            digest,
        }
    }

    /// Returns the source with its first line, which names engine and library:
    /// `megaboard_5f3a9c2e`.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the source without that first line, as plain Lua.
    #[must_use]
    pub fn lua(&self) -> &str {
        self.source.split_once('\n').map_or("", |(_, lua)| lua)
    }

    /// Returns the full name of a function: `megaboard_apply_5f3a9c2e`.
    #[must_use]
    pub fn function(&self, function: &str) -> String {
        format!("{}_{function}_{}", self.name, self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_digest_of_the_source() {
        let library = FunctionLibrary::new("lib", &["-- lib_f_@DIGEST@", "\nreturn"]);
        let name = library.function("f");
        let digest = name.strip_prefix("lib_f_").unwrap();
        assert_eq!(digest.len(), 8);
        assert_eq!(library.lua(), format!("-- {name}\nreturn"));
        assert!(
            library
                .source()
                .starts_with(&format!("#!lua name=lib_{digest}\n"))
        );
        let other = FunctionLibrary::new("lib", &["-- lib_f_@DIGEST@"]);
        assert_ne!(other.function("f"), name);
    }
}
