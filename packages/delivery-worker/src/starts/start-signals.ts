/** Makes what aborts the signals that pipeline hooks are given. */
export interface StartSignals {
  /** Its signal aborts with `abortAll`, too: also after its call has ended, for a run of the host that goes on with it. */
  create(): AbortController
  abortAll(): void
}

/**
 * A signal is only followed for as long as somebody has it, so that nothing is kept of a start that is over, even where
 * its hook left a listener. `AbortSignal.any` keeps something of each for good on Node 20 and 22.
 */
export function createStartSignals(): StartSignals {
  const controllers = new WeakMap<AbortSignal, AbortController>()
  const signals = new Set<WeakRef<AbortSignal>>()
  const registry = new FinalizationRegistry<WeakRef<AbortSignal>>((signal) => signals.delete(signal))

  return {
    create() {
      const controller = new AbortController()
      const signal = new WeakRef(controller.signal)
      controllers.set(controller.signal, controller)
      signals.add(signal)
      registry.register(controller.signal, signal)
      return controller
    },
    abortAll() {
      for (const reference of signals) {
        const signal = reference.deref()
        if (signal !== undefined) controllers.get(signal)?.abort()
      }
      signals.clear()
    },
  }
}
