/** The selection of the height that every page shows. The height is in the address, so that a page can be shared. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useHead } from '../api/head.ts'
import { selectHeight, useHeight } from '../api/height.ts'
import { formatInteger } from '../format/amount.ts'

/** Time without a further movement after which the height is taken. Unit: milliseconds. */
const REST_MS = 250
/** Positions of the slider: enough for one per pixel. A step of the keyboard is one block. */
const MAX_POSITION = 10_000n

export function HeightSlider() {
  const id = useId()
  const selected = useHeight()
  const head = useHead()
  const latest = head?.height
  const earliest = head?.earliest ?? 1n
  const [draft, setDraft] = useState<bigint | undefined>()
  const [problem, setProblem] = useState<string | undefined>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => setProblem(undefined), [selected])
  const shown = draft ?? selected ?? latest
  const field = useRef<HTMLInputElement>(null)
  const showHeight = (): void => {
    if (field.current && shown !== undefined) field.current.value = shown.toString()
  }
  // A block that arrives must not change what a reader is typing.
  useLayoutEffect(() => {
    if (document.activeElement !== field.current) showHeight()
  })
  useLayoutEffect(showHeight, [selected])

  const take = (height: bigint | undefined): void => {
    clearTimeout(timer.current)
    setDraft(undefined)
    setProblem(undefined)
    selectHeight(height)
  }
  const follow = (height: bigint): void => {
    setDraft(height)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => take(height === latest ? undefined : height), REST_MS)
  }
  if (latest === undefined || shown === undefined) return <div class="time-bar" aria-hidden="true" />
  const span = latest - earliest
  const toPosition = (height: bigint): bigint =>
    span <= MAX_POSITION ? height - earliest : ((height - earliest) * MAX_POSITION) / span
  const toHeight = (position: bigint): bigint =>
    span <= MAX_POSITION ? earliest + position : earliest + (span * position) / MAX_POSITION
  const clamp = (height: bigint): bigint => (height < earliest ? earliest : height > latest ? latest : height)

  const step = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1n, ArrowDown: -1n, ArrowRight: 1n, ArrowUp: 1n, PageDown: -100n, PageUp: 100n }[event.key]
    if (by === undefined) return
    event.preventDefault()
    follow(clamp(shown + by))
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const text = new FormData(event.currentTarget as HTMLFormElement).get('height')
    const digits = String(text).replace(/\s/g, '')
    const height = /^\d{1,18}$/.test(digits) ? BigInt(digits) : undefined
    if (height === undefined || height < earliest || height > latest) {
      setProblem(`A height from ${formatInteger(earliest)} to ${formatInteger(latest)}, please.`)
    } else take(height)
  }
  return (
    <form
      class={`time-bar${selected === undefined ? '' : ' time-past'}`}
      aria-label="Height of the page"
      onSubmit={submit}
    >
      <label for={`${id}-field`}>Height</label>
      <input
        id={`${id}-field`}
        ref={field}
        name="height"
        class="time-field num"
        inputMode="numeric"
        autocomplete="off"
        onBlur={() => {
          setProblem(undefined)
          showHeight()
        }}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
      />
      <input
        type="range"
        class="time-range"
        aria-label="Height"
        aria-valuetext={`Height ${shown}`}
        min="0"
        max={(span <= MAX_POSITION ? span : MAX_POSITION).toString()}
        value={toPosition(clamp(shown)).toString()}
        onKeyDown={step}
        onInput={({ currentTarget }) => follow(toHeight(BigInt(currentTarget.value)))}
      />
      <button type="button" class="time-live" disabled={selected === undefined} onClick={() => take(undefined)}>
        {selected === undefined ? 'Latest' : 'Back to latest'}
      </button>
      {problem !== undefined && (
        <span id={`${id}-problem`} class="time-problem" role="alert">
          {problem}
        </span>
      )}
    </form>
  )
}
