package android.security.keystore;

/** API 28. */
public class StrongBoxUnavailableException extends java.security.ProviderException {}
