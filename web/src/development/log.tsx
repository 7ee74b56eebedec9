/** The node's log as it is written. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { eth } from '../api/question.ts'
import { Empty } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { verb } from './verbs.ts'

interface Line {
  readonly index: number
  readonly time: string
  readonly level: string
  readonly message: string
  readonly fields: string
}
interface Lines {
  readonly records: readonly Line[]
  readonly next: number
}

/** Time between two questions while the page is seen. */
const PAUSE_MS = 1000
/** Lines that the page keeps. */
const MOST = 500

export function NodeLog() {
  const [lines, setLines] = useState<readonly Line[]>([])
  const [isOn, setOn] = useState(true)
  const [problem, setProblem] = useState<string | undefined>()
  const [level, setLevel] = useState('debug')
  const next = useRef<number | undefined>(undefined)
  const box = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (!isOn) return
    let isGone = false
    let timer: ReturnType<typeof setTimeout>
    const follow = async (): Promise<void> => {
      if (!document.hidden) {
        try {
          const found = await verb<Lines>('almanac_nodeLog', ...(next.current === undefined ? [] : [next.current]))
          if (isGone) return
          // A node that was started again counts from 0.
          const isNewNode = next.current !== undefined && found.next < next.current
          next.current = found.next
          setProblem(undefined)
          if (found.records.length > 0)
            setLines((known) => [...(isNewNode ? [] : known), ...found.records].slice(-MOST))
        } catch (error) {
          if (!isGone) setProblem(error instanceof Error ? error.message : String(error))
        }
      }
      if (!isGone) timer = setTimeout(follow, PAUSE_MS)
    }
    void follow()
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [isOn])
  useEffect(() => {
    const list = box.current
    if (list && isOn) list.scrollTop = list.scrollHeight
  }, [lines])
  const ranks = ['debug', 'info', 'warn', 'error']
  const shown = lines.filter((line) => ranks.indexOf(line.level) >= ranks.indexOf(level))
  return (
    <Section
      title="Log of the node"
      question={eth('almanac_nodeLog')}
      actions={
        <>
          <select
            aria-label="Lowest level"
            value={level}
            onChange={({ currentTarget }) => setLevel(currentTarget.value)}
          >
            {ranks.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <button type="button" aria-pressed={!isOn} onClick={() => setOn(!isOn)}>
            {isOn ? 'Pause' : 'Follow'}
          </button>
        </>
      }
    >
      {problem !== undefined && <p class="dev-error">{problem}</p>}
      {shown.length === 0 && problem === undefined && (
        <Empty>The node has logged nothing at this level since it started.</Empty>
      )}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
        <ol ref={box} class="dev-log" tabIndex={0} aria-label="Lines of the log">
          {shown.map((line) => (
            <li key={line.index} class={`dev-${line.level}`}>
              <time dateTime={line.time}>{line.time.slice(11, 23)}</time> {line.level} <strong>{line.message}</strong>{' '}
              {line.fields}
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
