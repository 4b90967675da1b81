// A module that fails, with a secret in its error.
throw new Error('the key pk_abcdefghijklmnop is wrong')
