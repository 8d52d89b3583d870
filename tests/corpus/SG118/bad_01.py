from unittest import mock
mock.patch.object(1,'x')  # expect: SG118
