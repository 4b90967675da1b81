/** The version of all our packages. The release script writes it: reading it from a manifest would fail in a bundle. */
export const version = '0.1.0'
