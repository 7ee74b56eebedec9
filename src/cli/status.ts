/** `almanac status`: what a running node says of itself. */
import { queryError } from '../primitives/errors.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

interface CometStatus {
  readonly node_info: { readonly network: string; readonly moniker: string; readonly version: string }
  readonly sync_info: {
    readonly latest_block_height: string
    readonly latest_block_time: string
    readonly latest_app_hash: string
    readonly earliest_block_height: string
    readonly catching_up: boolean
  }
  readonly validator_info: { readonly address: string; readonly voting_power: string }
}

export async function status(args: readonly string[]): Promise<number> {
  const command = commandWithSettings('status', 'Asks the running node for its height, app hash and health, as JSON.')
  command.parse([...args], { from: 'user' })
  const flags = flagsOf(command)
  const { config } = resolveSettings(flags, homeOf(flags['home']))
  const url = `http://${config.comet.host}:${config.comet.port + config.node.portOffset}/status`
  let answer: { result: CometStatus }
  try {
    answer = (await (await fetch(url)).json()) as { result: CometStatus }
  } catch {
    throw queryError('unavailable', `no node answers at ${url}; start one with \`almanac start\``)
  }
  const { node_info, sync_info, validator_info } = answer.result
  const shown = {
    chain_id: node_info.network,
    moniker: node_info.moniker,
    height: sync_info.latest_block_height,
    earliest_height: sync_info.earliest_block_height,
    time: sync_info.latest_block_time,
    app_hash: sync_info.latest_app_hash,
    catching_up: sync_info.catching_up,
    validator: validator_info.address,
    voting_power: validator_info.voting_power,
  }
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  return 0
}
