#include <openssl/asn1t.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

// What deriving a key from a passphrase costs by the parameters in a PKCS #8 file (PBES2, RFC 8018 and
// RFC 7914): iterations of PBKDF2, or N * r * p of scrypt. 0 if it is of another kind. In C, as the structures
// are reached through macros.
static inline uint64_t herald_passphrase_work(const X509_SIG *file) {
  const X509_ALGOR *algorithm = NULL;
  const ASN1_OBJECT *kind = NULL;
  const void *value = NULL;
  int type = 0;
  uint64_t work = 0;
  X509_SIG_get0(file, &algorithm, NULL);
  X509_ALGOR_get0(&kind, &type, &value, algorithm);
  if (OBJ_obj2nid(kind) != NID_pbes2 || type != V_ASN1_SEQUENCE) return 0;
  PBE2PARAM *scheme = (PBE2PARAM *)ASN1_item_unpack((const ASN1_STRING *)value, ASN1_ITEM_rptr(PBE2PARAM));
  if (scheme == NULL) return 0;
  X509_ALGOR_get0(&kind, &type, &value, scheme->keyfunc);
  if (type == V_ASN1_SEQUENCE && OBJ_obj2nid(kind) == NID_id_pbkdf2) {
    PBKDF2PARAM *found = (PBKDF2PARAM *)ASN1_item_unpack((const ASN1_STRING *)value, ASN1_ITEM_rptr(PBKDF2PARAM));
    if (found != NULL) ASN1_INTEGER_get_uint64(&work, found->iter);
    PBKDF2PARAM_free(found);
  } else if (type == V_ASN1_SEQUENCE && OBJ_obj2nid(kind) == NID_id_scrypt) {
    SCRYPT_PARAMS *found = (SCRYPT_PARAMS *)ASN1_item_unpack((const ASN1_STRING *)value, ASN1_ITEM_rptr(SCRYPT_PARAMS));
    uint64_t cost = 0, size = 0, lanes = 0;
    if (found != NULL && ASN1_INTEGER_get_uint64(&cost, found->costParameter) &&
        ASN1_INTEGER_get_uint64(&size, found->blockSize) &&
        ASN1_INTEGER_get_uint64(&lanes, found->parallelizationParameter) &&
        (__builtin_mul_overflow(cost, size, &work) || __builtin_mul_overflow(work, lanes, &work)))
      work = UINT64_MAX;
    SCRYPT_PARAMS_free(found);
  }
  PBE2PARAM_free(scheme);
  return work;
}

// A key on P-256 of its point (SEC 1, 2.3.3), and of its scalar as 32 bytes in the order of the processor unless
// that is NULL. NULL if the point is not on the curve. In C, as parameters point at their names.
static inline EVP_PKEY *herald_p256_key(unsigned char *point, size_t size, unsigned char *scalar) {
  OSSL_PARAM parameters[4], *next = parameters;
  *next++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)SN_X9_62_prime256v1, 0);
  *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, size);
  if (scalar != NULL) *next++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, scalar, 32);
  *next = OSSL_PARAM_construct_end();
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (context != NULL && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, scalar == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters);
  EVP_PKEY_CTX_free(context);
  return key;
}
