/** The search box. What it takes, and where each leads, is in `search-targets.ts`. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../router.tsx'

export function SearchBox() {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | undefined>()
  const [isSearching, setSearching] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as Element).closest('input, textarea, select, [contenteditable]')) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const asked = text.trim()
    if (asked === '' || isSearching) return
    setSearching(true)
    setProblem(undefined)
    try {
      const { findTarget } = await import('./search-targets.ts')
      navigate(await findTarget(asked))
      setText('')
      input.current?.blur()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setSearching(false)
    }
  }
  return (
    <search>
      <form class="search" onSubmit={submit} aria-busy={isSearching}>
        <input
          ref={input}
          type="search"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setProblem(undefined)
          }}
          placeholder="Height, hash, address, denom, pair …"
          aria-label="Search: height, hash, address, denom, pair, validator, proposal or contract name"
          aria-describedby={problem ? 'search-problem' : undefined}
          aria-invalid={problem ? 'true' : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
      {problem && (
        <p id="search-problem" class="search-problem" role="alert">
          {problem}
        </p>
      )}
    </search>
  )
}
