/** A public node behind Caddy with TLS, by the configuration of `deploy/`, with a certificate of this test. */
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProxyPlace, publicProxySuite, readConfiguration } from './support/public-proxy.ts'

/** Writes the configuration of `deploy/` with the addresses and folders of this test. Returns its path. */
function writeConfiguration({ node, tlsPort, scratch }: ProxyPlace): string {
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  const certificate = `${join(scratch, 'fullchain.pem')} ${join(scratch, 'privkey.pem')}`
  const text = readConfiguration('deploy/Caddyfile')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replace('127.0.0.1:9090', grpc)
    .replace('{\n', '{\n\tadmin off\n\tauto_https off\n')
    .replace(/^(\w+\.example\.org) \{$/gm, `$1:${tlsPort} {\n\tbind 127.0.0.1\n\ttls ${certificate}`)
  const path = join(scratch, 'Caddyfile')
  writeFileSync(path, text)
  return path
}

publicProxySuite('caddy', async (place) => {
  const env = { ...process.env, HOME: place.scratch, XDG_DATA_HOME: place.scratch, XDG_CONFIG_HOME: place.scratch }
  const config = ['--config', writeConfiguration(place), '--adapter', 'caddyfile']
  execFileSync(place.program, ['validate', ...config], { stdio: 'pipe', env })
  return spawn(place.program, ['run', ...config], { stdio: 'ignore', env })
})
