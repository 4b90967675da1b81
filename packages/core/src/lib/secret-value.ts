import { inspect } from 'node:util'

/**
 * A secret that is shown once: printed, logged or serialized it reads `pk_***` or `whsec_***`. Only `reveal()` gives
 * the value.
 */
export class SecretValue {
  readonly #value: string
  readonly #prefix: string

  constructor(value: string, prefix: string) {
    this.#value = value
    this.#prefix = prefix
  }

  /** The value itself. Call it at the one place that hands it out. */
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
