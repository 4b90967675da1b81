import type { Settings } from '../settings.ts'
import type { PortName, Ports } from '../storage/storage.ts'

/** What a service works with: the ports that it uses, and the settings. */
export interface Context<Port extends PortName> {
  readonly storage: Ports<Port>
  readonly settings: Settings
}
