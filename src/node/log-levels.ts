/** Levels of the log: one for all records, and others for the parts of a node that have their own. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

const RANK: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Parts of a node whose records have a level of their own. Records of no part have the level of all. */
const MODULES = ['api', 'chain', 'compute', 'engine', 'feeder', 'follow', 'snapshots'] as const
export type LogModule = (typeof MODULES)[number]

/** Form of a text that `parseLogLevels` reads, for errors. */
export const LOG_LEVELS_FORM = `one of ${Object.keys(RANK).join(', ')}, and for modules as in "info,api=debug": ${MODULES.join(', ')}`

export interface LogLevels {
  /** Whether the log contains records of a level, of a module or of none. */
  allows(level: LogLevel, module: unknown): boolean
}

/** Parses a level, or a level and those of modules: `info`, `info,api=debug`. Returns undefined for another text. */
export function parseLogLevels(text: string): LogLevels | undefined {
  const [all = '', ...further] = text.split(',')
  const lowest = RANK[all]
  const ranks = new Map<unknown, number>()
  for (const part of further) {
    const [module, level = ''] = part.split('=')
    const rank = RANK[level]
    if (rank === undefined || ranks.has(module) || !MODULES.includes(module as LogModule)) return undefined
    ranks.set(module, rank)
  }
  if (lowest === undefined) return undefined
  if (ranks.size === 0) return { allows: (level) => RANK[level]! >= lowest }
  return { allows: (level, module) => RANK[level]! >= (ranks.get(module) ?? lowest) }
}
