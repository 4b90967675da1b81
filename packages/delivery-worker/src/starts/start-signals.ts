/** A quote whose hook was called. */
interface RunningQuote {
  readonly id: string
  readonly organization_id: string
  /** When its hook was called. */
  readonly since: Date
}

/** Creates and aborts the signals of pipeline hooks. */
export interface StartSignals {
  /** Its signal aborts with `abortAll` even after its call has ended, for a run that continues with it. */
  create(quote: RunningQuote): AbortController
  abortAll(): void
  /** Quotes whose signal is still referenced. */
  quotes(): readonly RunningQuote[]
  /** Aborts the signals of these quotes. */
  abort(quoteIds: ReadonlySet<string>): void
}

/**
 * Signals are only tracked while something references them, so that nothing of a finished start is kept, even if its
 * hook left a listener. `AbortSignal.any` leaks on Node 20 and 22.
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
