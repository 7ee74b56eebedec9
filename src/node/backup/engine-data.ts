/**
 * The databases of an engine that runs, as of one moment. Files of LevelDB are written once or only grow, so hard links keep the
 * files of a moment, and their lengths say what was in them. The moment is one without a write: the files before and after the
 * links are the same. What the engine has written to its disk by then is what it finds after a crash at that moment.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { queryError } from '../../primitives/errors.ts'

/** A file of the engine, which is kept by a link. */
interface HeldFile {
  /** Path in the home, with `/`. */
  readonly path: string
  /** Path of the link. */
  readonly link: string
  /** Bytes that were written at the moment. */
  readonly size: number
}

export interface HeldEngine {
  readonly files: readonly HeldFile[]
  /** Deletes the links. */
  release(): void
}

/** Folder of the links in a home. */
const LINKS = 'backup-engine'
const DATA = 'engine/data'
/** The record of what the validator has signed, which the engine replaces as a whole. */
const SIGNED = 'priv_validator_state.json'
/** Files of LevelDB that hold data. Its lock and its log for people do not. */
const CONTENT = /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb|sst))$/
const ATTEMPTS = 600
const PAUSE_MS = 50

/** Whether a path of a home is one of the links. */
export const isHeld = (path: string): boolean => path.startsWith(`${LINKS}/`)

/**
 * Keeps the databases of the engine in a home as they are between two writes. Rejects with `failedPrecondition` for databases that
 * are not LevelDB, with `unavailable` if the engine writes without a pause.
 */
export async function holdEngine(root: string): Promise<HeldEngine> {
  requireLevelDb(join(root, 'engine/config/config.toml'))
  const links = join(root, LINKS)
  const release = () => rmSync(links, { recursive: true, force: true })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Links of a backup that was killed.
    release()
    const before = contentOf(join(root, DATA))
    if (linkAll(join(root, DATA), links, before) && isSame(before, contentOf(join(root, DATA)))) {
      const files = before.map(({ path, size }) => ({ path: `${DATA}/${path}`, link: join(links, path), size }))
      return { files, release }
    }
    await wait(PAUSE_MS)
  }
  release()
  throw queryError('unavailable', 'the engine writes without a pause: repeat the backup, or stop the node for it')
}

function requireLevelDb(path: string): void {
  const backend = existsSync(path) ? /^db_backend *= *"(.*)"/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  if (backend === undefined || backend === 'goleveldb') return
  throw queryError(
    'failedPrecondition',
    `${path}: db_backend is ${backend}, and only goleveldb can be copied while the node runs: stop the node for the backup`,
  )
}

interface Content {
  /** Path in the data folder, with `/`. */
  readonly path: string
  readonly size: number
  /** Path, inode, size and time of change: equal for an unchanged file. */
  readonly state: string
}

/** Returns the files of the databases, and the record of signatures, in order. */
function contentOf(data: string): readonly Content[] {
  const databases = readdirSync(data)
    .filter((name) => name.endsWith('.db'))
    .sort()
  const paths = databases.flatMap((name) =>
    readdirSync(join(data, name))
      .filter((file) => CONTENT.test(file))
      .sort()
      .map((file) => `${name}/${file}`),
  )
  return [...paths, SIGNED].flatMap((path) => {
    const facts = statSync(join(data, path), { bigint: true, throwIfNoEntry: false })
    if (!facts) return []
    return [{ path, size: Number(facts.size), state: `${path} ${facts.ino} ${facts.size} ${facts.mtimeNs}` }]
  })
}

const isSame = (a: readonly Content[], b: readonly Content[]): boolean =>
  a.length === b.length && a.every(({ state }, i) => state === b[i]!.state)

/** Links all files. Returns false if one was deleted meanwhile. */
function linkAll(data: string, links: string, files: readonly Content[]): boolean {
  try {
    for (const { path } of files) {
      const folder = join(links, path, '..')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      linkSync(join(data, path), join(links, path))
    }
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    throw queryError(
      'failedPrecondition',
      `the file system of ${data} has no hard links (${code}), without which an engine is not copied while it runs: stop the node for the backup`,
    )
  }
}
