/** The disk that a snapshot of another machine can take: its maker can list more chunks, or pack more into them, than there is room for. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { parseMemory } from '../config.ts'
import { freeBytes } from '../files.ts'
import type { Config } from '../settings.ts'

export interface Room {
  readonly bytes: number
  /** A clause that says what the limit is. */
  readonly limit: string
}

/** Parts of the room that the chunks can take, and the state that they restore to. Unit: percent. */
export const CHUNKS_PERCENT = 50
export const STATE_PERCENT = 90

/** Returns a part of what is free on the disk of a folder, or of `follow.max_disk` if that is less. 0 stands for no budget. */
export function roomOn(folder: string, percent: number, budgetBytes = 0): Room {
  const free = freeBytes(existing(folder)) ?? Number.POSITIVE_INFINITY
  const [bytes, of] =
    budgetBytes > 0 && budgetBytes < free
      ? [budgetBytes, 'follow.max_disk (--max-disk)']
      : [free, `what is free on the disk of ${folder}`]
  return { bytes: Math.floor((bytes * percent) / 100), limit: `${percent} % of ${of}` }
}

/** Returns the budget of a replica's database; 0 without one. Unit: bytes. */
export const budgetOf = ({ consensus, follow }: Pick<Config, 'consensus' | 'follow'>): number =>
  consensus.engine === 'follow' ? parseMemory(follow.maxDisk)! : 0

/** Returns the error of a snapshot that takes more than its room. */
export const beyondRoom = ({ bytes, limit }: Room, what: string): ChainError =>
  queryError('resourceExhausted', `${what}, and at most ${bytes} bytes are used for it: ${limit}`)

const existing = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
