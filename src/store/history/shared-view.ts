/** A view shared among many users, each of which closes it. */
import type { BackendRead } from '../backend/backend.ts'

export interface SharedView {
  open(): BackendRead
  /** Closes the view once it has no users. */
  retire(): void
}

export function shareView(view: BackendRead): SharedView {
  let users = 0
  let isRetired = false
  const closeUnused = () => {
    if (isRetired && users === 0) view.close()
  }
  return {
    open() {
      users++
      let isOpen = true
      return {
        get: view.get,
        iterate: view.iterate,
        peek: view.peek,
        close() {
          if (!isOpen) return
          isOpen = false
          users--
          closeUnused()
        },
      }
    },
    retire() {
      if (isRetired) return
      isRetired = true
      closeUnused()
    },
  }
}
