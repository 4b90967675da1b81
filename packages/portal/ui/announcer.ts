/**
 * A region must be shown, and empty, for a moment before its text: what it begins with is no change, nor the same text
 * again.
 */
const PAUSE_MS = 150

export type Announcer = ReturnType<typeof createAnnouncer>

/** Says results to screen readers, in the topmost dialog: what is outside a modal dialog is inert. */
export function createAnnouncer() {
  const regions: HTMLElement[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    say(text: string): void {
      for (const region of regions) region.textContent = ''
      clearTimeout(timer)
      timer = setTimeout(() => {
        const region = regions.at(-1)
        if (region !== undefined) region.textContent = text
      }, PAUSE_MS)
    },
    /** @returns removes it */
    add(region: HTMLElement): () => void {
      regions.push(region)
      return () => void regions.splice(regions.indexOf(region), 1)
    },
  }
}
