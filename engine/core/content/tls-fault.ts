/** Why a TLS connection did not come about, and what can be done. No other try changes it. */
interface TlsFault {
  readonly kind: 'authority' | 'name' | 'time' | 'plain';
  /** Completes "the service ...". */
  readonly message: string;
}

/** Reads the codes of OpenSSL and Node.js for faults of certificates, and for a port that speaks no TLS. */
export function findTlsFault(codes: readonly string[]): TlsFault | undefined {
  return FAULTS.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1];
}

const FAULTS: readonly (readonly [codes: RegExp, fault: TlsFault])[] = [
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_UNTRUSTED)$/,
    { kind: 'authority', message: 'has a certificate that no known authority has signed' },
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, { kind: 'name', message: 'has a certificate for another name' }],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    { kind: 'time', message: 'has a certificate that has expired, or is not valid yet' },
  ],
  [
    /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/,
    { kind: 'plain', message: 'does not speak TLS at this port' },
  ],
];
