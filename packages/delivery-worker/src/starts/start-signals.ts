/** A quote whose hook was called, as far as its signal goes. */
interface RunningQuote {
  readonly id: string
  readonly organization_id: string
  /** When its hook was called. */
  readonly since: Date
}

/** Makes what aborts the signals that pipeline hooks are given. */
export interface StartSignals {
  /** Its signal aborts with `abortAll`, too: also after its call has ended, for a run of the host that goes on with it. */
  create(quote: RunningQuote): AbortController
  abortAll(): void
  /** Quotes whose signal somebody still has. */
  quotes(): readonly RunningQuote[]
  /** Aborts the signals of these quotes. */
  abort(quoteIds: ReadonlySet<string>): void
}

/**
 * A signal is only followed for as long as somebody has it, so that nothing is kept of a start that is over, even where
 * its hook left a listener. `AbortSignal.any` keeps something of each for good on Node 20 and 22.
 */
export function createStartSignals(): StartSignals {
  const controllers = new WeakMap<AbortSignal, AbortController>()
  const signals = new Map<WeakRef<AbortSignal>, RunningQuote>()
  const registry = new FinalizationRegistry<WeakRef<AbortSignal>>((signal) => signals.delete(signal))

  function abortWhere(isMeant: (quote: RunningQuote) => boolean): void {
    for (const [reference, quote] of signals) {
      if (!isMeant(quote)) continue
      signals.delete(reference)
      const signal = reference.deref()
      if (signal !== undefined) controllers.get(signal)?.abort()
    }
  }

  return {
    create(quote) {
      const controller = new AbortController()
      const signal = new WeakRef(controller.signal)
      controllers.set(controller.signal, controller)
      signals.set(signal, quote)
      registry.register(controller.signal, signal)
      return controller
    },
    abortAll: () => abortWhere(() => true),
    quotes: () => [...signals.values()],
    abort: (quoteIds) => abortWhere(({ id }) => quoteIds.has(id)),
  }
}
