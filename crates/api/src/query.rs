//! [`query`]: declares the parameters of a query.

/// Declares a struct that the parameters of a query are read into, and that describes them in the document. `#[param]`
/// says what the document says of a parameter besides its type.
macro_rules! query {
    (
        $(#[doc = $about:literal])*
        struct $name:ident {
            $($(#[doc = $text:literal])* $(#[param($($param:tt)*)])? $field:ident: $type:ty,)*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, serde::Deserialize)]
        #[cfg_attr(test, derive(utoipa::IntoParams))]
        #[cfg_attr(test, into_params(parameter_in = Query))]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[doc = $text])* $(#[cfg_attr(test, param($($param)*))])? pub(crate) $field: $type,)*
        }
    };
}

pub(crate) use query;
