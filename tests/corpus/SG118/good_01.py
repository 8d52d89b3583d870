from unittest.mock import MagicMock, patch


class Service:
    def fetch(self):
        return 1


with patch.object(Service, 'fetch', return_value=2):
    print(Service().fetch(), MagicMock()())
