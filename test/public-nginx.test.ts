/** A public node behind nginx with TLS, by the configuration of `deploy/`. */
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type ProxyPlace, publicProxySuite, readConfiguration } from './support/public-proxy.ts'

/** Writes the configuration of `deploy/` with the addresses and folders of this test. Returns its path. */
function writeConfiguration({ node, tlsPort, scratch }: ProxyPlace, plainPort: number): string {
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  const inner = readConfiguration('docs/nginx.conf')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replaceAll('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('/var/cache/almanac', join(scratch, 'cache'))
  writeFileSync(join(scratch, 'almanac.conf'), inner)
  const outer = readConfiguration('deploy/nginx-public.conf')
    .replace('/etc/almanac/nginx.conf', join(scratch, 'almanac.conf'))
    .replaceAll('/etc/almanac/', `${scratch}/`)
    .replace('127.0.0.1:9090', grpc)
    .replaceAll('listen 443', `listen 127.0.0.1:${tlsPort}`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(scratch, name)};`,
  )
  const path = join(scratch, 'nginx.conf')
  writeFileSync(
    path,
    `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${join(scratch, 'pid')};
    error_log stderr crit; events {} http { access_log off; ${folders.join(' ')} ${outer} }`,
  )
  return path
}

publicProxySuite('nginx', async (place) => {
  const args = ['-c', writeConfiguration(place, await freePort()), '-p', place.scratch, '-e', 'stderr']
  execFileSync(place.program, [...args, '-t'], { stdio: 'pipe' })
  return spawn(place.program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
})
