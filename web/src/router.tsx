/** Routes in the fragment of the URL (`#/block/7?height=5`), so that the console works below any path. */
import type { ComponentType } from 'preact'
import { createStore, useStore } from './store.ts'

/** Parts of a path that the pattern names: `/block/:height` has `height`. */
export type Params = Readonly<Record<string, string>>

export interface PageProps {
  readonly params: Params
}

export type Page = ComponentType<PageProps>

export interface Route {
  /** Pattern of the path. A last part `:name*` takes the rest, with its slashes. */
  readonly path: string
  readonly load: () => Promise<{ readonly default: Page }>
  /** Name in the navigation; absent for pages that links lead to. */
  readonly title?: string
  /** Whether the navigation shows it on development chains only. */
  readonly isForDevelopment?: boolean
}

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

function readPlace(): Place {
  const text = location.hash.slice(1)
  if (text === '') return { path: /\/docs\/?$/.test(location.pathname) ? '/docs' : '/', query: new URLSearchParams() }
  const mark = text.indexOf('?')
  const path = mark < 0 ? text : text.slice(0, mark)
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  }
}

const place = createStore<Place>(readPlace())
addEventListener('hashchange', () => place.set(readPlace()))

export const usePlace = (): Place => useStore(place)

/** Returns the current place outside of components. */
export const currentPlace = (): Place => place.get()

/** Goes to a path, such as `/block/7`. `replace` leaves no entry in the history. The height of the page is kept. */
export function navigate(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = hrefOf(path)
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  place.set(readPlace())
}

/** Returns the address of a page for a link. The selected height is kept, unless the path names one. */
export function hrefOf(path: string): string {
  const height = currentPlace().query.get('height')
  if (height === null || /[?&]height=/.test(path)) return `#${path}`
  return `#${path}${path.includes('?') ? '&' : '?'}height=${height}`
}

/** Changes one value of the query of this page; undefined removes it. */
export function setQuery(name: string, value: string | undefined, replace = false): void {
  const { path, query } = readPlace()
  if (value === undefined) query.delete(name)
  else query.set(name, value)
  const text = query.toString()
  const url = `#${path}${text && `?${text}`}`
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  place.set(readPlace())
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the parameters of a path that fits a pattern, else undefined. */
function matchPath(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/').filter(Boolean)
  const given = path.split('/').filter(Boolean)
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':') && part.endsWith('*')) {
      params[part.slice(1, -1)] = given.slice(i).map(decode).join('/')
      return given.length > i ? params : undefined
    }
    const value = given[i]
    if (value === undefined) return undefined
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return wanted.length === given.length ? params : undefined
}

export function findRoute(
  routes: readonly Route[],
  path: string,
): { readonly route: Route; readonly params: Params } | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params) return { route, params }
  }
  return undefined
}
