//! The limits of the audit log: `audit_log_bytes` and `audit_log_files` of `[server]`.

use access::audit::AuditLimits;

use super::server::ServerSection;

/// Minimum size of a file, in bytes: a few hundred lines.
const FILE_BYTES_MIN: u64 = 64 << 10;

/// Maximum number of files.
const FILES_MAX: u32 = 1_000;

/// Why the settings are rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditError {
    #[error("server.audit_log_bytes: {0} is less than {FILE_BYTES_MIN}")]
    Bytes(u64),
    #[error("server.audit_log_files: {0} is more than {FILES_MAX}")]
    Files(u32),
}

impl ServerSection {
    /// Returns the limits of the audit log.
    pub(crate) fn audit_limits(&self) -> Result<AuditLimits, AuditError> {
        let default = AuditLimits::default();
        let limits = AuditLimits {
            file_bytes_max: self.audit_log_bytes.unwrap_or(default.file_bytes_max),
            files_kept: self.audit_log_files.unwrap_or(default.files_kept),
        };
        if limits.file_bytes_max < FILE_BYTES_MIN {
            return Err(AuditError::Bytes(limits.file_bytes_max));
        }
        if limits.files_kept > FILES_MAX {
            return Err(AuditError::Files(limits.files_kept));
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_bounds() {
        let limits = |text: &str| {
            let section: ServerSection = toml::from_str(text).unwrap();
            section.audit_limits().map_err(|error| error.to_string())
        };
        assert_eq!(limits(""), Ok(AuditLimits::default()));
        let parsed = limits("audit_log_bytes = 65536\naudit_log_files = 0").unwrap();
        assert_eq!((parsed.file_bytes_max, parsed.files_kept), (65_536, 0));
        assert!(
            limits("audit_log_bytes = 65535")
                .unwrap_err()
                .contains("65536")
        );
        assert!(
            limits("audit_log_files = 1001")
                .unwrap_err()
                .contains("1000")
        );
    }
}
