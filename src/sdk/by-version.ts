/** Codecs and collections that follow the consensus version of their module: how state of an old height stays readable. */
import type { AppFacts } from './context.ts'

type Callable = (ctx: unknown, ...rest: unknown[]) => unknown

/** What contexts of every kind may have. */
interface MaybeInApp {
  readonly app?: Pick<AppFacts, 'versionOf'> | undefined
}

/**
 * One codec or collection out of several, by the version of `module` in the state at hand. `editions` begin with the version
 * they are named by; each is in force until the next. Every function of an edition takes a context first, as those of
 * `ValueCodec`, `map`, `item` and `keySet` do. A context without an application means the newest.
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
    const follow: Callable = (ctx, ...rest) =>
      (editionOf(ctx as MaybeInApp) as Record<string, Callable>)[name]!(ctx, ...rest)
    return [name, follow] as const
  })
  return Object.fromEntries(entries) as T
}
