-- The service's roles and database, once, by psql ≥ 15 as a superuser:
--   SVC_DATABASE_PASSWORD_FILE=… SVC_DATABASE_OWNER_PASSWORD_FILE=… psql -v ON_ERROR_STOP=1 -f init.sql postgres
\set owner_password `cat "$SVC_DATABASE_OWNER_PASSWORD_FILE"`
\set password `cat "$SVC_DATABASE_PASSWORD_FILE"`
-- One owns the tables and migrates; the other serves, with what `svc migrate` grants it.
CREATE ROLE svc LOGIN PASSWORD :'owner_password';
CREATE ROLE svc_serving LOGIN PASSWORD :'password';
-- The service asks for these at each connection; PgBouncer does not pass them on.
ALTER ROLE svc_serving SET statement_timeout = '30s';
ALTER ROLE svc_serving SET idle_in_transaction_session_timeout = '60s';
CREATE DATABASE svc OWNER svc;
REVOKE ALL ON DATABASE svc FROM PUBLIC;
GRANT CONNECT ON DATABASE svc TO svc_serving;
