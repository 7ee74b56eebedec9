import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { archiveKind, filesInArchive } from './archive.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
const LONG = 'n'.repeat(120)

/** Archives made by GNU tar 1.35 and Python 3: `bin/almanac` and `README`, or a file in a folder with a long name. */
const ARCHIVES = {
  gnu: 'H4sIAAAAAAAAA+3UMQrCMBTG8cyeouIBmtSmmQU7uniDVAsKtoW23t/ESSLaKZbi/7e8QAJ58OWlurapiEw6RutndcL6vlYyK7RIdOzGvPsw2j5JRN9147dzU/sLVbn87a2xrT1Fu8OHWuT55/xVFuSvtHH5y2gdvfjz/Dfr1D+B4bKauxPM4Vju9ocy7h2T8y9N+P9vTcb8/0Jf23NTM/wAAAAAAAAAAAAAACzZA4oNyqoAKAAA',
  gnuLong:
    'H4sIAAAAAAACA+3UMQ6CMACF4c6eAuNOWyzt6gG4RHVQIpYE9P5WR4gYh2qE/1vaBLbX95o2HKVIS0WuLJ9nNDzHd61MaURWii+49VffZZno2vY69d+7738ql7ncVfERVHU4J8zfGvMyf+3cIH9ttRJZRf7JNY/+hx+RAgvI/+P93xrnLPu/lP0vlB3tv9Ls//z33zcXH/yBGZ79/k/1X+livP+x/4r+J7dZy30dZH9a0QUAAAAAAAAAAIA5uAMSuvkuACgAAA==',
  posixLong:
    'H4sIAAAAAAACA+2YTW7CMBCFveYUqbpPZjL+iRfsu+wVXBoVJEgqSCWOXydCLQ0UBJUdUubb2MpEsiLnvWdPmj277VPpXsv1JntZVCIA4NFSdqOnPwIY+T1vnyMYykWyFRH42DRu7ZcX9wlB4prFqpyisYpAKWtTW2hrCks48dXZYTXfVQUzerzks9BrdBJX6nf99+eISiuRqJj6X9d1c+q9c/X+x41o//cSwC1XrnKzof0/R4Ps/+z/TAz9BxH9JfrHvKd/8nkhEoip/zv1/8eH9tSfbeas5rsk3U//ZV293cT9D/0JgPN/iPzXgKmENuELrQ7y/2eV1TN+WsmHvgBecf8zSvL9L9r+70VAFYBz/k/Q838i0Ib9PwZIOnl3zXza/QjVQGSTK3IIi64qOYf+qv/Au3ux/5POjWb//0/7f9L/kfr+T6TY/6P4v6Rb8P9dC+p4DHwZ/dEYyKkAUmA4Bsaq/4P+X+v/yP0/7v8xDMMwDBOCTwPOxQIAKAAA',
  oldest:
    'H4sIAAAAAAACA+3SPQ4CIRCAUWpPofEA688C52G30US38f6JaEm0pCB5r5lp4Zvlvk2hs1OVY/zOqp0/9hSvKexjGEj7uEEstX95PMtW1q5fk+b5f//zpemfc6r9g/7dHQ/T5wRet10AAAAAAAAAAAAG8wYCc2ZhACgAAA==',
  zip: 'UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAAEAAAAYmluL1BLAwQUAAAAAAAAACEAHZ37BAoAAAAKAAAACwAAAGJpbi9hbG1hbmFjIyEvYmluL3NoClBLAwQUAAAAAAAAACEAs5DkFgcAAAAHAAAABgAAAFJFQURNRXJlYWRtZQpQSwECFAMUAAAAAAAAACEAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAgAEAAAAAYmluL1BLAQIUAxQAAAAAAAAAIQAdnfsECgAAAAoAAAALAAAAAAAAAAAAAACAASIAAABiaW4vYWxtYW5hY1BLAQIUAxQAAAAAAAAAIQCzkOQWBwAAAAcAAAAGAAAAAAAAAAAAAACAAVUAAABSRUFETUVQSwUGAAAAAAMAAwCfAAAAgAAAAAkAYSBjb21tZW50',
}

test('lists the files in archives that other programs packed', () => {
  expect(filesInArchive(bytes(ARCHIVES.gnu), 'tar.gz')).toEqual(['bin/almanac', 'README'])
  expect(filesInArchive(gunzipSync(bytes(ARCHIVES.gnu)), 'tar')).toEqual(['bin/almanac', 'README'])
  expect(filesInArchive(bytes(ARCHIVES.gnuLong), 'tar.gz')).toEqual([`long/${LONG}/almanac`])
  expect(filesInArchive(bytes(ARCHIVES.posixLong), 'tar.gz')).toEqual(['bin/almanac', `long/${LONG}/almanac`])
  expect(filesInArchive(bytes(ARCHIVES.oldest), 'tar.gz')).toEqual(['bin/almanac'])
  expect(filesInArchive(bytes(ARCHIVES.zip), 'zip')).toEqual(['bin/almanac', 'README'])
  expect(filesInArchive(bytes(ARCHIVES.zip), 'tar.xz')).toBeUndefined()
  expect(['tgz', 'tar.gz', 'txz', 'zip', 'exe', 'false'].map(archiveKind)).toEqual([
    ...['tar.gz', 'tar.gz', 'tar.xz', 'zip', undefined, undefined],
  ])
})

test('refuses truncated archives and files of another format', () => {
  const [tar, zip] = [gunzipSync(bytes(ARCHIVES.gnu)), bytes(ARCHIVES.zip)]
  expect(() => filesInArchive(zip, 'tar')).toThrow('not a tar archive')
  expect(() => filesInArchive(tar.subarray(0, 700), 'tar')).toThrow()
  expect(() => filesInArchive(new Uint8Array(2048), 'tar')).toThrow('the archive contains no file')
  expect(() => filesInArchive(tar, 'tar.gz')).toThrow('incorrect header check')
  for (let length = 0; length < zip.length - 9; length++) {
    expect(() => filesInArchive(zip.subarray(0, length), 'zip'), String(length)).toThrow()
  }
  const damaged = Uint8Array.from(zip)
  damaged[zip.length - 9 - 22 + 16]!++
  expect(() => filesInArchive(damaged, 'zip')).toThrow('the directory of the zip is damaged')
})
