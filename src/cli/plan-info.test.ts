import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { utf8 } from '../primitives/bytes.ts'
import { checkPlanInfo, type InfoChecks } from './plan-info.ts'

const BUILD = utf8('the build')
/** Outputs of `printf 'the build' | sha256sum`, and so on. */
const SUMS = {
  md5: '434d63a8f90ff49b7246fd044c5370b8',
  sha1: '9daf9699ccfb80c9809e017b66d3c9b29a4c566e',
  sha256: '62f18b95504b18e073a25a465a1a8ca5f8513fcd19aff2f3cf41cf1cdbd09ed4',
  sha512:
    '53fd9ecd926bc12af41c681382ea5f81db6153daa964ae60b9d3bbc7fbcfa8eb1406e7b50d486f91799a23b1d88d31e91d46aa242650c0a45ae4b444640bf6ab',
}
const binaries = (entries: object): string => JSON.stringify({ binaries: entries })

/** Checks an info against a web of a few addresses. */
function check(info: string, web: Readonly<Record<string, Uint8Array>>, checks: Partial<InfoChecks> = {}) {
  return checkPlanInfo(info, { checksums: true, downloads: true, program: 'almanac', ...checks }, async (address) => {
    const found = web[address]
    if (!found) throw new Error('answered 404')
    return found
  })
}

test('an info that supervisors cannot read is refused with the reason', async () => {
  const read = (info: string, checks: Partial<InfoChecks> = {}) => check(info, {}, { downloads: false, ...checks })
  await expect(read('  ')).rejects.toThrow('plan info must not be blank')
  await expect(read('soon')).rejects.toThrow('could not parse plan info')
  await expect(read('{}')).rejects.toThrow('no "binaries" entries found')
  await expect(read(binaries({ linux: 'https://a/b' }))).rejects.toThrow('invalid os/arch format in key "linux"')
  await expect(read(binaries({ any: 'ftp://a/b' }))).rejects.toThrow('invalid url "ftp://a/b" in binaries[any]')
  await expect(read(binaries({ any: 'https://a/b' }))).rejects.toThrow('missing checksum query parameter')
  await read(binaries({ any: 'https://a/b' }), { checksums: false })
  await read(binaries({ 'linux/amd64': `https://a/b?checksum=sha256:${SUMS.sha256}` }))
})

test('a build must match its checksum, in every supported notation', async () => {
  const web = {
    'https://a/b': BUILD,
    'https://a/sums': utf8(`${SUMS.md5}  other\n${SUMS.sha256} *dist/b\n`),
    'https://a/bsd': utf8(`SHA512 (other) = ${SUMS.sha512.replace(/./g, '0')}\nSHA512 (b) = ${SUMS.sha512}\n`),
    'https://a/alone': utf8(`${SUMS.sha1}\n`),
  }
  const of = (checksum: string) => check(binaries({ any: `https://a/b?checksum=${checksum}` }), web)
  for (const [algorithm, sum] of Object.entries(SUMS)) {
    await of(`${algorithm}:${sum}`)
    await of(sum.toUpperCase())
    await expect(of(`${algorithm}:${sum.replace(/^../, '00')}`), algorithm).rejects.toThrow(
      `error downloading binary for os/arch any: https://a/b?checksum=${algorithm}:${sum.replace(/^../, '00')}: ${algorithm} is ${sum}`,
    )
  }
  for (const file of ['sums', 'bsd', 'alone']) await of(`file:https://a/${file}`)
  await expect(of('file:https://a/none')).rejects.toThrow('answered 404')
  await expect(of('file:sums')).rejects.toThrow('checksum file:sums must be file: followed by an http(s) URL')
  await expect(
    check(binaries({ any: 'https://a/c?checksum=file:https://a/sums' }), { ...web, 'https://a/c': BUILD }),
  ).rejects.toThrow('https://a/sums contains no checksum of c')
  await expect(of(`sha256:${SUMS.md5}`)).rejects.toThrow('must be one of md5, sha1, sha256, sha512 in hexadecimal')
})

test('an archive must contain the program, and the info itself can be a URL', async () => {
  const packed = (path: string): Uint8Array => {
    const header = new Uint8Array(512)
    const put = (at: number, text: string) => header.set(utf8(text), at)
    put(0, path)
    put(124, '00000000000')
    put(148, '        ')
    put(156, '0')
    put(
      148,
      header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0'),
    )
    header[154] = 0
    return gzipSync(Buffer.concat([header, new Uint8Array(1024)]))
  }
  const at = (path: string, bytes: Uint8Array, more = '') => {
    const sum = createHash('sha256').update(bytes).digest('hex')
    return check(binaries({ any: `https://a/${path}?checksum=sha256:${sum}${more}` }), { [`https://a/${path}`]: bytes })
  }
  await at('x.tar.gz', packed('bin/almanac'))
  await at('x.tgz', packed('./almanac'))
  await at('x', packed('almanac'), '&archive=tgz')
  await at('x.tgz', BUILD, '&archive=false')
  await expect(at('x.tgz', packed('almanac-1.0/bin/almanac'))).rejects.toThrow(
    'the archive contains neither almanac nor bin/almanac, but almanac-1.0/bin/almanac',
  )
  await expect(at('x.tgz', BUILD)).rejects.toThrow('incorrect header check')
  const info = utf8(binaries({ any: `https://a/b?checksum=${SUMS.sha256}` }))
  const sum = createHash('sha256').update(info).digest('hex')
  const web = { 'https://a/info.json': info, 'https://a/b': BUILD }
  await check(`https://a/info.json?checksum=sha256:${sum}`, web)
  await expect(check('https://a/info.json', web)).rejects.toThrow('missing checksum query parameter')
  await expect(check(`https://a/info.json?checksum=sha256:${SUMS.sha256}`, web)).rejects.toThrow(
    'could not parse plan info',
  )
})
