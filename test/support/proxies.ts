/** nginx and Caddy, on the configuration of `deploy/` with the addresses and folders of a test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from './ports.ts'
import type { NodeProcess } from './process.ts'

/** Reads a file of the checkout. */
const readConfiguration = (path: string): string => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')

/** Gateways behind a proxy, in the order of its sites. */
const SITES = ['rest', 'evm', 'comet', 'grpc'] as const

/** Ports of the sites without TLS, each of one gateway, for clients that send no name. */
export type PlainPorts = Readonly<Record<(typeof SITES)[number], number>>

export async function freePlainPorts(): Promise<PlainPorts> {
  const ports = []
  for (const site of SITES) ports.push([site, await freePort()] as const)
  return Object.fromEntries(ports) as PlainPorts
}

/** The place of a proxy. */
export interface ProxyPlace {
  readonly program: string
  readonly node: NodeProcess
  readonly tlsPort: number
  readonly plain: PlainPorts
  /** A folder with `fullchain.pem` and `privkey.pem`. */
  readonly scratch: string
}

/** Writes a key and a certificate of this test into a folder. */
export function writeCertificate(openssl: string, folder: string): void {
  const key = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const names = ['-subj', '/CN=example.org', '-addext', 'subjectAltName=DNS:*.example.org', '-days', '1']
  execFileSync(openssl, ['req', '-x509', ...names, '-nodes', '-newkey', 'rsa:2048', ...key], { stdio: 'pipe' })
}

/** Writes the configuration of nginx. Returns its path. */
function writeNginx({ node, tlsPort, plain, scratch }: ProxyPlace): string {
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  let inner = readConfiguration('docs/nginx.conf')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replace('/var/cache/almanac', join(scratch, 'cache'))
  for (const site of ['rest', 'evm', 'comet'] as const)
    inner = inner.replace('listen 80;', `listen 127.0.0.1:${plain[site]};`)
  writeFileSync(join(scratch, 'almanac.conf'), inner)
  const outer = readConfiguration('deploy/nginx-public.conf')
    .replace('/etc/almanac/nginx.conf', join(scratch, 'almanac.conf'))
    .replaceAll('/etc/letsencrypt/live/almanac/', `${scratch}/`)
    .replace('127.0.0.1:9090', grpc)
    .replaceAll('listen 443', `listen 127.0.0.1:${tlsPort}`)
    .replace('server_name grpc', `listen 127.0.0.1:${plain.grpc} http2;\n  server_name grpc`)
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

/** Writes the configuration of Caddy. Returns its path. */
function writeCaddy({ node, tlsPort, plain, scratch }: ProxyPlace): string {
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  const certificate = `${join(scratch, 'fullchain.pem')} ${join(scratch, 'privkey.pem')}`
  const text = readConfiguration('deploy/Caddyfile')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replace('127.0.0.1:9090', grpc)
    .replace('{\n', '{\n\tadmin off\n\tauto_https off\n')
    .replace('servers {', 'servers {\n\t\tprotocols h1 h2 h2c')
    .replace(
      /^(\w+)\.example\.org \{\n([^}]*)\}$/gm,
      (_, site: keyof PlainPorts, body: string) =>
        `${site}.example.org:${tlsPort} {\n\tbind 127.0.0.1\n\ttls ${certificate}\n${body}}\n\n` +
        `http://:${plain[site]} {\n\tbind 127.0.0.1\n${body}}`,
    )
  const path = join(scratch, 'Caddyfile')
  writeFileSync(path, text)
  return path
}

export type ProxyName = 'nginx' | 'caddy'

/** Checks the configuration of a proxy and starts it. Throws if the proxy refuses the configuration. */
export const START_PROXY: Readonly<Record<ProxyName, (place: ProxyPlace) => ChildProcess>> = {
  nginx(place) {
    const args = ['-c', writeNginx(place), '-p', place.scratch, '-e', 'stderr']
    execFileSync(place.program, [...args, '-t'], { stdio: 'pipe' })
    return spawn(place.program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  },
  caddy(place) {
    const env = { ...process.env, HOME: place.scratch, XDG_DATA_HOME: place.scratch, XDG_CONFIG_HOME: place.scratch }
    const config = ['--config', writeCaddy(place), '--adapter', 'caddyfile']
    execFileSync(place.program, ['validate', ...config], { stdio: 'pipe', env })
    return spawn(place.program, ['run', ...config], { stdio: 'ignore', env })
  },
}
