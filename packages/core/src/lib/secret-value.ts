import { inspect } from 'node:util'

/**
 * A secret that is shown once. Printed, logged or serialized it reads `pk_***` or `whsec_***`; only `reveal()` returns
 * the value.
 */
export class SecretValue {
  readonly #value: string
  readonly #prefix: string

  constructor(value: string, prefix: string) {
    this.#value = value
    this.#prefix = prefix
  }

  /** Call this only where the secret is handed out. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return `${this.#prefix}***`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return this.toString()
  }
}
