//! [`metrics!`](crate::metrics!): the metrics of a crate, each in one place.

/// Defines metrics as a struct: for each a field with its initial value, its name, its unit if it has one, and its help
/// text. `Default` creates them, and `register_all` registers them in this order.
#[macro_export]
macro_rules! metrics {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($field_visibility:vis $field:ident: $type:ty = $initial:expr, $metric:literal $(in $unit:ident)?, $help:literal;)*
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $(
                #[doc = $help]
                $field_visibility $field: $type,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $initial,)* }
            }
        }

        impl $name {
            /// Registers the metrics.
            $visibility fn register_all(&self, registry: &mut $crate::Registry) {
                $($crate::register_metric!(registry, self.$field, $metric, $help $(, $unit)?);)*
            }
        }
    };
}

/// Registers a metric for [`metrics!`](crate::metrics!).
#[doc(hidden)]
#[macro_export]
macro_rules! register_metric {
    ($registry:expr, $metric:expr, $name:literal, $help:literal) => {
        $registry.register($name, $help, $metric.clone());
    };
    ($registry:expr, $metric:expr, $name:literal, $help:literal, $unit:ident) => {
        $registry.register_with_unit($name, $help, $crate::Unit::$unit, $metric.clone());
    };
}
