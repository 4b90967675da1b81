import { useLayoutEffect, useRef } from 'preact/hooks'
import { usePortal } from '../portal.ts'

/** A place where results are said. */
export function LiveRegion() {
  const { announcer } = usePortal()
  const region = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => (region.current === null ? undefined : announcer.add(region.current)), [])
  return <p ref={region} class="hidden" role="status" />
}
