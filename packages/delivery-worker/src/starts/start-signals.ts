/** A quotation whose hook was called. */
interface RunningQuotation {
  readonly id: string
  readonly organization_id: string
  /** When its hook was called. */
  readonly since: Date
}

/** The reason of a signal whose quote was cancelled. */
export const CANCELLED = new DOMException('The quote was cancelled.', 'AbortError')

/** Creates and aborts the signals of pipeline hooks. */
export interface StartSignals {
  /** Its signal aborts with `abortAll` even after its call has ended, for a run that continues with it. */
  create(quotation: RunningQuotation): AbortController
  abortAll(): void
  /** Quotations whose signal is still referenced. */
  quotations(): readonly RunningQuotation[]
  /** Aborts the signals of these quotations. */
  abort(quotationIds: ReadonlySet<string>, reason?: unknown): void
}

/**
 * Signals are only tracked while something references them, so that nothing of a finished start is kept, even if its
 * hook left a listener. `AbortSignal.any` leaks on Node 20 and 22.
 */
export function createStartSignals(): StartSignals {
  const controllers = new WeakMap<AbortSignal, AbortController>()
  const signals = new Map<WeakRef<AbortSignal>, RunningQuotation>()
  const registry = new FinalizationRegistry<WeakRef<AbortSignal>>((signal) => signals.delete(signal))

  function abortWhere(isMeant: (quotation: RunningQuotation) => boolean, reason?: unknown): void {
    for (const [reference, quotation] of signals) {
      if (!isMeant(quotation)) continue
      signals.delete(reference)
      const signal = reference.deref()
      if (signal !== undefined) controllers.get(signal)?.abort(reason)
    }
  }

  return {
    create(quotation) {
      const controller = new AbortController()
      const signal = new WeakRef(controller.signal)
      controllers.set(controller.signal, controller)
      signals.set(signal, quotation)
      registry.register(controller.signal, signal)
      return controller
    },
    abortAll: () => abortWhere(() => true),
    quotations: () => [...signals.values()],
    abort: (quotationIds, reason) => abortWhere(({ id }) => quotationIds.has(id), reason),
  }
}
