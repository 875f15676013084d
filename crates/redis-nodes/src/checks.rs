//! Checks of a server's configuration at the start: [`check`].

use crate::link::Link;
use crate::redis_link::reply;
use crate::settings::RedisSettings;

/// Rejects a server that may evict boards, and warns of settings that risk data.
pub(crate) async fn check(link: &Link, settings: &RedisSettings) -> Result<(), String> {
    let node = link.address();
    let info = link.info();
    if !matches!(info.eviction.as_str(), "noeviction" | "") {
        let policy = &info.eviction;
        if !settings.allow_eviction {
            return Err(format!(
                "{node}: its maxmemory-policy is {policy}: it would drop parts of boards when memory \
                 ends. Set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in its \
                 configuration), or set allow_eviction to live with that"
            ));
        }
        tracing::warn!(%node, "may drop parts of boards: its maxmemory-policy is {policy}");
    }
    if settings.acks > info.replicas {
        tracing::warn!(
            %node,
            "has {} replicas, and acks = {}: writes will not be answered for",
            info.replicas,
            settings.acks
        );
    }
    if !info.has_append_log && !has_save_points(link).await {
        tracing::warn!(%node, "keeps nothing on disk: a restart loses all boards on it");
    }
    Ok(())
}

/// Returns whether it writes snapshots; assumed if that may not be read.
async fn has_save_points(link: &Link) -> bool {
    let Ok(answer) = link.send("CONFIG", &["GET", "save"]).await else {
        return true;
    };
    reply::of_map(&answer, "save").is_none_or(|points| !points.is_empty())
}
