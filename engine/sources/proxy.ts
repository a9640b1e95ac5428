import { BlockList, isIP, isIPv6 } from 'node:net';
import { type Found, hasScheme, type LookUpVariable, type Origin, parseOrigin } from './origin.js';

/** The variables that name a proxy, by the scheme of what is asked through it. The first that is set counts. */
export const PROXY_VARIABLES = { 'http:': ['http_proxy', 'HTTP_PROXY'], 'https:': ['https_proxy', 'HTTPS_PROXY'] };

/** Never asked through a proxy: it would look for them on its own machine. */
const OWN_MACHINE = 'localhost 127.0.0.0/8 ::1';

/** The proxy through which a service is asked: undefined where there is none, or `NO_PROXY` leaves the service out. */
export function findProxy(url: URL, lookUp: LookUpVariable): Found<{ readonly origin?: Origin }> {
  const variable = PROXY_VARIABLES[url.protocol === 'https:' ? 'https:' : 'http:'].find((name) => lookUp(name));
  const left_out = `${OWN_MACHINE} ${lookUp('no_proxy') ?? lookUp('NO_PROXY') ?? ''}`;
  if (variable === undefined || left_out.split(/[\s,]+/).some((entry) => leavesOut(entry.toLowerCase(), url)))
    return { ok: true };
  return parseProxy(variable, lookUp(variable) ?? '');
}

/** Reads a variable that names a proxy; many write no scheme. */
export function parseProxy(variable: string, value: string): Found<{ readonly origin: Origin }> {
  return parseOrigin(variable, hasScheme(value) ? value : `http://${value}`);
}

/** An entry is a name with all names below it, an address or a range of them; it may have a port. */
function leavesOut(entry: string, { hostname, port, protocol }: URL): boolean {
  const host = withoutBrackets(hostname);
  const [, address, prefix] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (address !== undefined) return isWithin(host, address, Number(prefix));
  const [, named = entry, its_port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (its_port !== undefined && its_port !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
  const name = withoutBrackets(named.replace(/^\*?\./, ''));
  if (isIP(name) !== 0) return isWithin(host, name, isIPv6(name) ? 128 : 32);
  return entry === '*' || host === name || (name !== '' && host.endsWith(`.${name}`));
}

function isWithin(host: string, address: string, prefix: number): boolean {
  if (isIP(host) === 0 || isIP(address) === 0 || prefix > (isIPv6(address) ? 128 : 32)) return false;
  const range = new BlockList();
  range.addSubnet(address, prefix, familyOf(address));
  return range.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
