/** The list of operations, by module and namespace, with its search. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { navigate } from '../router.tsx'
import { Unfolding } from '../ui/unfolding.tsx'
import { Link } from '../ui/values.tsx'
import { type Operation, search } from './catalog.ts'

interface Group {
  readonly title: string
  readonly operations: readonly Operation[]
}

/** Groups operations in the order in which their groups first appear. */
function groupsOf(operations: readonly Operation[]): readonly Group[] {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const title = operation.protocol === 'JSON-RPC' ? `${operation.group}_ (JSON-RPC)` : operation.group
    groups.set(title, [...(groups.get(title) ?? []), operation])
  }
  return [...groups].map(([title, members]) => ({ title, operations: members }))
}

/** Returns a short name: that of the method, since the group names the rest. */
const shortName = ({ protocol, id, title }: Operation): string =>
  protocol === 'REST' ? id.slice(id.lastIndexOf('/') + 1) : title

/** Returns the version of an operation whose group has another one of the same name. */
function versionOf(operation: Operation, { operations }: Group): string | undefined {
  const name = shortName(operation)
  const isShared = operations.some((one) => one !== operation && shortName(one) === name)
  return isShared ? operation.id.split('/')[0]!.split('.').at(-2) : undefined
}

function OperationGroup({
  group,
  chosen,
  isOpen,
}: {
  readonly group: Group
  readonly chosen: Operation | undefined
  readonly isOpen: boolean
}) {
  const summary = (
    <>
      {group.title} <span class="muted">{group.operations.length}</span>
    </>
  )
  return (
    <Unfolding summary={summary} isOpen={isOpen}>
      {() => (
        <ul>
          {group.operations.map((operation) => {
            const version = versionOf(operation, group)
            return (
              <li key={operation.id} class={operation === chosen ? 'docs-chosen' : undefined}>
                <Link to={`/docs/${operation.id}`} title={operation.summary}>
                  {shortName(operation)}
                  {version && <span class="docs-version"> {version}</span>}
                </Link>
              </li>
            )
          })}
        </ul>
      )}
    </Unfolding>
  )
}

export function OperationList({
  operations,
  chosen,
  text,
  onText,
}: {
  readonly operations: readonly Operation[]
  readonly chosen: Operation | undefined
  readonly text: string
  readonly onText: (text: string) => void
}) {
  const box = useRef<HTMLElement>(null)
  const found = useMemo(() => search(operations, text), [operations, text])
  const groups = useMemo(() => groupsOf(found), [found])
  const isSearch = text.trim() !== ''
  /** Moves the focus through the search box and the visible links. */
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const all = [...box.current!.querySelectorAll<HTMLElement>('input, details[open] a, summary')]
    const next = all[all.indexOf(document.activeElement as HTMLElement) + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  useEffect(() => {
    const link = box.current?.querySelector<HTMLElement>('.docs-chosen')
    // Only the list scrolls: the page stays at its start.
    if (link) box.current!.scrollTop = link.offsetTop - box.current!.clientHeight / 2
  }, [chosen])
  const openFirst = (event: Event): void => {
    event.preventDefault()
    if (isSearch && found[0]) navigate(`/docs/${found[0].id}`)
  }
  return (
    <nav class={chosen ? 'docs-list docs-beside' : 'docs-list'} ref={box} aria-label="Operations" onKeyDown={move}>
      <form role="search" onSubmit={openFirst}>
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
        <p class="docs-count muted" role="status">
          {found.length === operations.length
            ? `${found.length} operations`
            : `${found.length} of ${operations.length}`}
        </p>
      </form>
      {found.length === 0 && <p>No operation has these words in its name, path, parameters or description.</p>}
      {groups.map((group) => (
        <OperationGroup
          key={`${group.title}${isSearch}`}
          group={group}
          chosen={chosen}
          isOpen={isSearch || group.operations.includes(chosen!)}
        />
      ))}
    </nav>
  )
}
