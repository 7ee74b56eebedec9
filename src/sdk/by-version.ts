/** Codecs and collections chosen by their module's consensus version, which keeps the state of old heights readable. */
import type { AppFacts } from './context.ts'

type Callable = (ctx: unknown, ...rest: unknown[]) => unknown

/** A context of any kind, with or without an application. */
interface MaybeInApp {
  readonly app?: Pick<AppFacts, 'versionOf'> | undefined
}

/**
 * Returns a codec or collection that dispatches each call to one of `editions`, by the version of `module` in the state being
 * read. An edition applies from the version it is keyed by until the next edition. Every function of an edition takes a
 * context first, as those of `ValueCodec`, `map`, `item` and `keySet` do. A context without an application selects the newest
 * edition.
 */
export function byVersion<T extends object>(module: string, editions: Readonly<Record<number, T>>): T {
  const versions = Object.keys(editions)
    .map(Number)
    .sort((a, b) => b - a)
  const newest = editions[versions[0]!]!
  const oldest = editions[versions.at(-1)!]!
  const editionOf = (ctx: MaybeInApp): T => {
    const version = ctx.app?.versionOf(module)
    if (version === undefined) return newest
    for (const first of versions) if (first <= version) return editions[first]!
    return oldest
  }
  const entries = Object.entries(newest).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value] as const
    const dispatch: Callable = (ctx, ...rest) =>
      (editionOf(ctx as MaybeInApp) as Record<string, Callable>)[name]!(ctx, ...rest)
    return [name, dispatch] as const
  })
  return Object.fromEntries(entries) as T
}
