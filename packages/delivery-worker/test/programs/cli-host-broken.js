// A module that fails, with a secret in its error.
throw new Error('the key pk_abcdefghijklmnop is wrong')
// A module that exports nothing would not be run.
export const integrations = undefined
