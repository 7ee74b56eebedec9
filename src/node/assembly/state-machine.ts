/** The state machine of a node. */
import { createApplication } from '../../app/application.ts'
import type { AdmissionSettings } from '../../app/transaction.ts'
import type { Application } from '../../app/types.ts'
import type { Identity } from '../../identity/types.ts'
import type { Progress } from '../../primitives/progress.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import { bugLog } from '../bug-log.ts'
import type { Build } from '../build.ts'
import { requireFittingBuild } from '../build-check.ts'
import type { OpenedChain } from '../chain.ts'
import type { Files } from '../files.ts'
import type { Log } from '../log.ts'
import { checkUpgradeFile } from '../upgrade-file-check.ts'

/** Creates the state machine. Throws `failedPrecondition` if it cannot continue the chain in the store. */
export function openStateMachine(parts: {
  readonly chain: OpenedChain
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly admission: AdmissionSettings
  /** Receives the lines that contracts print; undefined to ignore them. */
  readonly print: ((line: string) => void) | undefined
  readonly build: Build | undefined
  readonly store: VersionedStore
  readonly files: Files
  readonly log: Log
  readonly progress: Progress
}): Application {
  const { chain, identity, chainId, evmChainId, admission, print, build, store, files, log, progress } = parts
  const skip = chain.config.upgrade.skip.map(BigInt)
  const app = createApplication({
    identity,
    chainId,
    evmChainId,
    settings: admission,
    onBug: bugLog(log),
    onPrint: print,
    onUpgrade: (line) => log('info', line),
    progress,
    skipUpgrades: skip,
    ...build,
  })
  // A replica executes no block, so that a build reads the chain although it could not continue it.
  if (chain.config.consensus.engine === 'follow') return app
  requireFittingBuild(store, app)
  if (chain.home) checkUpgradeFile({ data: chain.home.paths.data, files, store, app, skip, log })
  return app
}
