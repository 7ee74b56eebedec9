/** A setting: its place in `config.toml`, its flag, its kind and its limits. */

type SettingKind =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'list'
  | 'heights'
  | 'origins'
  | 'blockTime'
  | 'duration'
  | 'memory'
  | 'gasPrices'
  | 'logLevels'

export interface Setting<Value = unknown> {
  readonly section: string
  readonly key: string
  /** Without dashes. */
  readonly flag: string
  readonly kind: SettingKind
  readonly fallback: Value
  readonly about: string
  readonly oneOf?: readonly string[]
  /** Lower bound: of a text its length, of a duration milliseconds, of a memory size bytes. */
  readonly min?: number
  readonly max?: number
  /** Effect of going beyond it, if it is a limit; `docs/limits.md` lists these settings. */
  readonly beyond?: string
  /** Whether it belongs to the chain from its first start: the home records it, and a later start refuses another value. */
  readonly genesis?: boolean
  /** Whether a start can turn a recorded choice off, for as long as it runs. */
  readonly turnsOff?: boolean
  /** Whether it is never written to `config.toml` or printed. */
  readonly secret?: boolean
}

/** Defines a setting; its flag is `SECTION-KEY` unless given. */
export const define = <Value>(
  section: string,
  key: string,
  kind: SettingKind,
  fallback: Value,
  about: string,
  more: Partial<Omit<Setting, 'section' | 'key' | 'kind' | 'fallback' | 'about'>> = {},
): Setting<Value> => ({
  section,
  key,
  flag: `${section}-${key}`.replaceAll('_', '-'),
  kind,
  fallback,
  about,
  ...more,
})
