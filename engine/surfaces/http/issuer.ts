import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';

/** Who issues tokens for assistants, beside the operator, who hands out the program's own. */
export interface Issuer {
  readonly url: string;
  /** What its tokens are for: the URL of the consumers' surface, which they name as their audience. */
  resource(): string;
  /** Whose a token is. @returns undefined for one that this issuer has not signed for this resource, or that has expired */
  findSubject(token: string): Promise<string | undefined>;
}

const TIMEOUT_MS = 5_000;
/** After a failure, its keys are not asked for again for so long: anybody may send a token. */
const FAILURE_MS = 30_000;
/** Signatures by private keys alone. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const IS_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const IS_SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Verifies tokens by the keys that an issuer publishes; they are fetched from its origin, and from nowhere else. */
export function openIssuer(url: string, resource: () => string): Issuer {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const openKeys = (): Promise<JWTVerifyGetKey> => {
    keys ??= findKeys(url).catch((error: unknown) => {
      setTimeout(() => (keys = undefined), FAILURE_MS).unref();
      throw error;
    });
    return keys;
  };
  return {
    url,
    resource,
    async findSubject(token) {
      if (!IS_JWT.test(token)) return undefined;
      const wanted = { issuer: url, audience: resource(), algorithms: ALGORITHMS, requiredClaims: ['exp', 'sub'] };
      try {
        const { payload } = await jwtVerify(token, await openKeys(), wanted);
        return IS_SUBJECT.test(payload.sub ?? '') ? payload.sub : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** The keys that the metadata of an issuer name (RFC 8414, or OpenID Connect). @throws where there are none */
async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  for (const place of [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`]) {
    const response = await fetch(origin + place, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const told = (response.ok ? await response.json() : {}) as Readonly<Record<string, unknown>>;
    const keys = typeof told['jwks_uri'] === 'string' ? new URL(told['jwks_uri']) : undefined;
    if (told['issuer'] === issuer && keys?.origin === origin)
      return createRemoteJWKSet(keys, { timeoutDuration: TIMEOUT_MS });
  }
  throw new Error(`${issuer} names no keys`);
}
