//! Which Flink a configuration is for: defaults, names and rules differ.

/// A line of releases that agree in what they make of a configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// Flink 1.20, which the simulator follows.
    #[default]
    V1,
    /// Flink 2.0 and later.
    V2,
}

impl Release {
    /// Every line of releases, the older first.
    pub const ALL: [Self; 2] = [Self::V1, Self::V2];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "1.20",
            Self::V2 => "2.x",
        }
    }

    /// The line of a version as people write it: `1.20`, `2.1.3`, `v1_17`.
    /// Nothing if it is no version of Flink.
    #[must_use]
    pub fn of(version: &str) -> Option<Self> {
        let digits = version.trim().trim_start_matches(['v', 'V']);
        let major = digits.split(['.', '_', '-']).next().unwrap_or_default();
        let rest = digits[major.len()..].trim_start_matches(['.', '_', '-']);
        let is_version =
            |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-');
        if !rest.chars().all(is_version) {
            return None;
        }
        match major {
            "1" => Some(Self::V1),
            "2" => Some(Self::V2),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for version in ["1", "1.20", "v1_13", "1.20.3", "1.x"] {
            assert_eq!(Release::of(version), Some(Release::V1), "{version}");
        }
        for version in ["2", "2.x", "2.1.3", "v2_0", "2.1-SNAPSHOT"] {
            assert_eq!(Release::of(version), Some(Release::V2), "{version}");
        }
        for version in ["", "3.0", "latest", "1.20 and more", "20"] {
            assert_eq!(Release::of(version), None, "{version}");
        }
    }
}
