/** The settings that a start refuses whatever the chain is. They are checked before the home is made, so that nothing is left of it. */
import { statSync } from 'node:fs'
import { createProxies } from '../../api/transport/client-address.ts'
import type { Build } from '../build.ts'
import { configError, type ResolvedConfig } from '../config.ts'
import { findEngine } from '../engine/engine-process.ts'
import { requireSafeVersion, versionOf } from '../engine/engine-version.ts'
import type { Config } from '../settings.ts'
import { requireWorkerPrograms } from '../worker-programs.ts'
import { runsElsewhere } from './comet.ts'
import { requireStateSync } from './state-sync.ts'

/**
 * Rejects with `invalidArgument` for settings that no chain can have, and with `failedPrecondition` without an engine that can run.
 * `isNew`: the chain begins with this start.
 */
export async function refuseSettings(
  { config, origins }: ResolvedConfig,
  build: Build | undefined,
  isNew: boolean,
): Promise<void> {
  const { api, jsonrpc } = config
  requireEngine(config)
  requireStateSync(config)
  requireWorkerPrograms(build, config)
  createProxies(api.trustedProxies)
  if (origins.get('jsonrpc.http_api') !== 'default') await requireNamespaces(jsonrpc.httpApi, '--http-api')
  if (origins.get('jsonrpc.ws_api') !== 'default') await requireNamespaces(jsonrpc.wsApi, '--ws-api')
  if (isNew) requireSnapshot(config)
}

function requireEngine({ consensus }: Config): void {
  if (consensus.engine === 'cometbft' && !runsElsewhere(consensus))
    requireSafeVersion(versionOf(findEngine(consensus.program)))
}

async function requireNamespaces(namespaces: readonly string[], flag: string): Promise<void> {
  const { chainMethods, optionalMethods } = await import('../../api/jsonrpc/methods.ts')
  const { servedMethods } = await import('../../api/jsonrpc/modules.ts')
  servedMethods({}, { namespaces, flag, known: { ...chainMethods, ...optionalMethods.development } })
}

function requireSnapshot({ consensus, follow }: Config): void {
  if (consensus.engine !== 'follow' || follow.snapshot === '') return
  if (!statSync(follow.snapshot, { throwIfNoEntry: false }))
    throw configError(`follow.snapshot (--snapshot) is ${follow.snapshot}: no such file or folder`)
}
