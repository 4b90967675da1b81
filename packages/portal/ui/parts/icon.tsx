const PATHS = {
  chevron: 'm4 6 4 4 4-4',
  close: 'm4 4 8 8m0-8-8 8',
  check: 'm3 8.5 3.2 3L13 4.5',
  dots: 'M3.2 8h.01M8 8h.01M12.8 8h.01',
  back: 'm10 3.5-4.5 4.5L10 12.5',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Zm-1.3 3.2L14 14',
  copy: 'M5.5 5.5h7v7h-7zM10.5 3.5h-7v7',
}

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      class={`icon ${name}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
